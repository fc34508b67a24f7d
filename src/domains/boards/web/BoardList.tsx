import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { DeviceSelect, OwnerSelect } from '../../devices/web/pickers.tsx'
import { BoardRow, type BoardSecret, boards } from '../contract.ts'
import styles from './boards.module.css'
import { useActs } from './useActs.ts'

const BoardDialog = lazyDialog(() => import('./BoardDialog.tsx').then((m) => m.BoardDialog))
const BindDialog = lazyDialog(() => import('./BindDialogs.tsx').then((m) => m.BindDialog))
const ReplaceDialog = lazyDialog(() => import('./BindDialogs.tsx').then((m) => m.ReplaceDialog))
const SecretDialog = lazyDialog(() => import('./Dialogs.tsx').then((m) => m.SecretDialog))
const ActivationDialog = lazyDialog(() => import('./Dialogs.tsx').then((m) => m.ActivationDialog))
const ImportDialog = lazyDialog(() =>
  import('../../../web/ImportDialog.tsx').then((m) => m.ImportDialog),
)

type Open =
  | { what: 'edit' | 'bind' | 'replace' | 'activate'; row: BoardRow }
  | { what: 'create' | 'import' }
const tones = { UNBOUND: 'offline', BOUND: 'online', DISABLED: 'locked' } as const

export function BoardList() {
  const { t } = useTranslation(['boards', 'web'])
  const col = useCols(BoardRow, 'boards')
  const may = useMay()
  const navigate = useNavigate()
  const english = usePrefs().lang === 'en'
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  // stands beside the dialogs: a form that is saved closes itself
  const [secret, setSecret] = useState<BoardSecret | null>(null)
  const acts = useActs(setSecret)
  const counts = useRead(boards.counts, {}, { inline: true, keep: true })
  useLive('main-boards', [boards.counts.path])
  useLive('unknown-boards', [boards.counts.path])
  const n = counts.data
  const w = (zh: number, en: number) => ({ width: english ? en : zh })
  const none = <span className="hd-none">—</span>
  const add = may('main-board:create') ? (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen({ what: 'create' })}>
      {t('create')}
    </Button>
  ) : null
  const expiry = (row: BoardRow) => {
    if (row.simExpiresOn === null) return none
    const left = Math.ceil(
      (Date.parse(`${row.simExpiresOn}T23:59:59+08:00`) - Date.now()) / 86_400_000,
    )
    const note = {
      FINE: null,
      SOON: <small className={styles.soon}>{t('days', { n: Math.max(0, left - 1) })}</small>,
      EXPIRED: <small className={styles.expired}>{t('expired')}</small>,
    }
    return (
      <span className={styles.sim}>
        {row.simExpiresOn} {note[row.simState ?? 'FINE']}
      </span>
    )
  }
  const traffic = (row: BoardRow) => {
    if (row.planMb === null && row.usedMb === null) return none
    const over = row.planMb !== null && (row.usedMb ?? 0) > row.planMb
    return (
      <span className={over ? styles.expired : undefined}>
        {t('traffic', { used: row.usedMb ?? '—', plan: row.planMb ?? '—' })}
      </span>
    )
  }
  const device = (row: BoardRow) => (row.deviceId === null ? none : row.rtuNumber)
  return (
    <>
      <ListPage
        title={t('title')}
        ns="boards"
        endpoint={boards.list}
        rowKey="id"
        live="main-boards"
        header={
          add ? (
            <>
              {n && n.unknown !== null ? (
                <Button onClick={() => navigate('/device/unknown-boards')}>
                  {t('unknown.short')}{' '}
                  {n.unknown > 0 ? <b className={styles.soon}>{n.unknown}</b> : null}
                </Button>
              ) : null}
              <Button onClick={() => setOpen({ what: 'import' })}>{t('import')}</Button>
              {add}
            </>
          ) : null
        }
        empty={{
          title: t('empty'),
          ...(add
            ? {
                action: (
                  <Button onClick={() => setOpen({ what: 'import' })}>{t('importTitle')}</Button>
                ),
              }
            : {}),
        }}
        views={[
          { key: 'all', label: t('views.all'), query: {}, count: n?.all },
          { key: 'bound', label: t('views.bound'), query: { status: 'BOUND' }, count: n?.bound },
          {
            key: 'unbound',
            label: t('views.unbound'),
            query: { status: 'UNBOUND' },
            count: n?.unbound,
          },
          {
            key: 'disabled',
            label: t('views.disabled'),
            query: { status: 'DISABLED' },
            count: n?.disabled,
          },
          {
            key: 'expiring',
            label: t('views.expiring'),
            query: { expiring: true },
            count: n?.expiring,
          },
        ]}
        filters={[
          { key: 'boardNo' },
          { key: 'iccid' },
          { key: 'status' },
          {
            key: 'deviceId',
            picker: ({ onChange, ...rest }) => <DeviceSelect {...rest} onChange={onChange} />,
          },
          { key: 'fwVersion', more: true },
          { key: 'expiring', more: true },
          {
            key: 'orgId',
            label: t('fields.ownedUserName'),
            more: true,
            picker: ({ onChange, ...rest }) => <OwnerSelect {...rest} onChange={onChange} />,
          },
        ]}
        columns={[
          col('boardNo', { ...w(152, 160), fixed: 'left', ellipsis: false }),
          col('status', { ...w(96, 104), tones }),
          col('rtuNumber', {
            ...w(104, 136),
            ellipsis: false,
            render: (_, row) => device(row),
            ...(may('device:read')
              ? {
                  link: (row: BoardRow) =>
                    row.deviceId === null ? '' : `/device/device-list?detail=${row.deviceId}`,
                }
              : {}),
          }),
          col('model', { width: 104 }),
          col('fwVersion', { ...w(88, 96) }),
          col('iccid', { width: 208, ellipsis: false }),
          col('traffic', { ...w(128, 136), render: (_, row) => traffic(row) }),
          col('simExpiresOn', { ...w(168, 184), render: (_, row) => expiry(row) }),
          col('signal', {
            ...w(64, 80),
            tones: {},
            render: (_, row) => (row.signal && row.online ? t(`enums.signal.${row.signal}`) : none),
          }),
          col('lastSeenAt', { ...w(112, 120) }),
          col('ownedUserName', { width: 136 }),
          col('carrier', { width: 112, defaultHidden: true }),
          col('plan', { width: 112, defaultHidden: true }),
          col('hwVersion', { defaultHidden: true }),
          col('protocol', { defaultHidden: true }),
          col('keyFingerprint', { width: 184, defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'bind',
            label: t('bind'),
            can: row.can.bind,
            onClick: () => setOpen({ what: 'bind', row }),
          },
          {
            key: 'replace',
            label: t('replace'),
            can: row.can.bound,
            onClick: () => setOpen({ what: 'replace', row }),
          },
          {
            key: 'edit',
            label: t('edit'),
            can: row.can.update,
            onClick: () => setOpen({ what: 'edit', row }),
          },
          {
            key: 'activate',
            label: t('activate'),
            can: row.can.bound,
            onClick: () => setOpen({ what: 'activate', row }),
          },
          {
            key: 'rotate',
            label: t('rotate'),
            can: row.can.bound,
            disabled: row.status === 'DISABLED' ? t('enums.status.DISABLED') : undefined,
            onClick: () => void acts.rotate(row),
          },
          {
            key: 'enable',
            label: t('enable'),
            can: row.can.enable,
            onClick: () => void acts.enable(row),
          },
          {
            key: 'unbind',
            label: t('unbind'),
            danger: true,
            can: row.can.bound,
            onClick: () => void acts.unbind(row),
          },
          {
            key: 'disable',
            label: t('disable'),
            danger: true,
            can: row.can.disable,
            onClick: () => void acts.disable(row),
          },
        ]}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <strong>{row.boardNo}</strong>
              <StatusTag tone={tones[row.status]} chip>
                {t(`enums.status.${row.status}`)}
              </StatusTag>
            </div>
            <div className={styles.cardFacts}>
              {row.deviceId === null ? null : (
                <span>
                  {row.rtuNumber} {row.nickname}
                </span>
              )}
              {row.iccid ? <span>{row.iccid}</span> : null}
              {row.simExpiresOn ? (
                <span>
                  {t('fields.simExpiresOn')} {expiry(row)}
                </span>
              ) : null}
              {row.usedMb === null && row.planMb === null ? null : <span>{traffic(row)}</span>}
              {row.deviceId === null && !row.iccid && row.model ? <span>{row.model}</span> : null}
            </div>
            {actions}
          </>
        )}
      />
      {open?.what === 'create' ? <BoardDialog row={undefined} onClose={close} /> : null}
      {open?.what === 'edit' ? <BoardDialog row={open.row} onClose={close} /> : null}
      {open?.what === 'bind' ? (
        <BindDialog row={open.row} onClose={close} onSecret={setSecret} />
      ) : null}
      {open?.what === 'replace' ? (
        <ReplaceDialog row={open.row} onClose={close} onSecret={setSecret} />
      ) : null}
      {open?.what === 'activate' ? <ActivationDialog row={open.row} onClose={close} /> : null}
      {secret ? <SecretDialog secret={secret} onClose={() => setSecret(null)} /> : null}
      {open?.what === 'import' ? (
        <ImportDialog
          kind="main-boards"
          title={t('importTitle')}
          invalidates={['/api/main-boards']}
          onClose={close}
        />
      ) : null}
    </>
  )
}
