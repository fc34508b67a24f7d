import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { dayMs } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { Bad } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { BoardRow, type BoardSecret, boards } from '../contract.ts'
import { useActs } from './useActs.ts'

const BoardFields = lazyDialog(() => import('./BoardFields.tsx').then((m) => m.BoardFields))
const BindDialog = lazyDialog(() => import('./BindDialogs.tsx').then((m) => m.BindDialog))
const ReplaceDialog = lazyDialog(() => import('./BindDialogs.tsx').then((m) => m.ReplaceDialog))
const SecretDialog = lazyDialog(() => import('./Dialogs.tsx').then((m) => m.SecretDialog))
const ActivationDialog = lazyDialog(() => import('./Dialogs.tsx').then((m) => m.ActivationDialog))

const views = {
  all: {},
  bound: { status: 'BOUND' },
  unbound: { status: 'UNBOUND' },
  disabled: { status: 'DISABLED' },
  expiring: { expiring: true },
} as const
const none = <span className="hd-none">—</span>

export function BoardList() {
  const { t } = useTranslation('boards')
  const col = useCols(BoardRow, 'boards')
  const may = useMay()
  const navigate = useNavigate()
  const { orgId } = useUser()
  const [importing, setImporting] = useState(false)
  const [open, setOpen] = useState<{ what: 'bind' | 'replace' | 'activate'; row: BoardRow } | null>(
    null,
  )
  const close = () => setOpen(null)
  // stands beside the dialogs: a form that is saved closes itself
  const [secret, setSecret] = useState<BoardSecret | null>(null)
  const acts = useActs(setSecret)
  const counts = useRead(boards.counts, {}, { inline: true, keep: true }).data
  useLive('main-boards', [boards.counts.path])
  useLive('unknown-boards', [boards.counts.path])
  const { unknown = null } = counts ?? {}
  const dialog = { onClose: close, onSecret: setSecret }
  return (
    <>
      <ListPage
        ns="boards"
        endpoint={boards.list}
        live="main-boards"
        records={{
          create: boards.create,
          update: boards.update,
          fields: BoardFields,
          blank: { protocol: 'mqtt', orgId },
          width: 680,
        }}
        header={
          may('main-board:create') ? (
            <>
              {unknown === null ? null : (
                <Button onClick={() => navigate('/device/unknown-boards')}>
                  {t('unknown.short')} {unknown > 0 ? <Bad>{unknown}</Bad> : null}
                </Button>
              )}
              <Button onClick={() => setImporting(true)}>{t('import')}</Button>
            </>
          ) : null
        }
        views={(Object.keys(views) as (keyof typeof views)[]).map((key) => ({
          key,
          label: t(`views.${key}`),
          query: views[key],
          count: counts?.[key],
        }))}
        filters={[
          'boardNo',
          'iccid',
          'status',
          { key: 'deviceId', picker: DeviceSelect },
          { key: 'fwVersion', more: true },
          { key: 'expiring', more: true },
          { key: 'orgId', label: t('fields.ownedUserName'), more: true, picker: OwnerSelect },
        ]}
        columns={[
          col('boardNo'),
          col('status'),
          col('rtuNumber', {
            link: (row) =>
              row.deviceId === null || !may('device:read')
                ? undefined
                : `/device/device-list?detail=${row.deviceId}`,
          }),
          col('nickname'),
          col('model', { defaultHidden: true }),
          col('fwVersion', { defaultHidden: true }),
          col('iccid', { defaultHidden: true }),
          col('traffic', { width: 144, render: (_, row) => <Traffic row={row} /> }),
          col('simExpiresOn', { width: 176, render: (_, row) => <Expiry row={row} /> }),
          col('signal', {
            defaultHidden: true,
            tones: {},
            render: (_, row) => (row.signal && row.online ? t(`enums.signal.${row.signal}`) : none),
          }),
          col('lastSeenAt'),
          col('ownedUserName'),
          col('carrier', { defaultHidden: true }),
          col('plan', { defaultHidden: true }),
          col('hwVersion', { defaultHidden: true }),
          col('protocol', { defaultHidden: true }),
          col('keyFingerprint', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => {
          const { bind, bound, enable, disable } = row.can
          const ask = (what: 'bind' | 'replace' | 'activate', can: boolean) => ({
            key: what,
            label: t(what),
            can,
            onClick: () => setOpen({ what, row }),
          })
          const act = (what: keyof typeof acts, can: boolean, danger = false) => ({
            key: what,
            label: t(what),
            can,
            danger,
            onClick: () => void acts[what](row),
          })
          const off = row.status === 'DISABLED' ? t('enums.status.DISABLED') : undefined
          return [
            ask('bind', bind),
            ask('replace', bound),
            ask('activate', bound),
            { ...act('rotate', bound), disabled: off },
            act('enable', enable),
            act('unbind', bound, true),
            act('disable', disable, true),
          ]
        }}
        card={['rtuNumber', 'nickname', 'iccid', 'traffic', 'simExpiresOn']}
      />
      {open?.what === 'bind' ? <BindDialog row={open.row} {...dialog} /> : null}
      {open?.what === 'replace' ? <ReplaceDialog row={open.row} {...dialog} /> : null}
      {open?.what === 'activate' ? <ActivationDialog row={open.row} onClose={close} /> : null}
      {secret ? <SecretDialog secret={secret} onClose={() => setSecret(null)} /> : null}
      {importing ? (
        <ImportDialog
          kind="main-boards"
          title={t('importTitle')}
          invalidates={['/api/main-boards']}
          onClose={() => setImporting(false)}
        />
      ) : null}
    </>
  )
}

function Expiry({ row: { simExpiresOn, simState } }: { row: BoardRow }) {
  const { t } = useTranslation('boards')
  if (simExpiresOn === null) return none
  const end = Date.parse(`${simExpiresOn}T23:59:59+08:00`)
  const left = Math.max(0, Math.ceil((end - Date.now()) / dayMs) - 1)
  return (
    <>
      {simExpiresOn}{' '}
      {simState === 'SOON' ? <StatusTag tone="warn">{t('days', { n: left })}</StatusTag> : null}
      {simState === 'EXPIRED' ? <StatusTag tone="fault">{t('expired')}</StatusTag> : null}
    </>
  )
}

function Traffic({ row: { planMb, usedMb } }: { row: BoardRow }) {
  const { t } = useTranslation('boards')
  if (planMb === null && usedMb === null) return none
  return (
    <Bad when={planMb !== null && (usedMb ?? 0) > planMb}>
      {t('traffic', { used: usedMb ?? '—', plan: planMb ?? '—' })}
    </Bad>
  )
}
