import { Alert, Button, Flex, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { registerLocale } from '../../../web/i18n.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { accounts } from '../../accounts/contract.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { StoreSelect } from '../../stores/web/pickers.tsx'
import { distribution, type kinds, mostAssigned, type Outcome } from '../contract.ts'
import { locale } from '../locale.ts'
import { PeopleSelect } from './Pickers.tsx'

// replenishment opens it, too
registerLocale('distribution', locale)

export type Kind = (typeof kinds)[number]
/** With several kinds the person chooses; the first one is chosen already. */
type Props = {
  kinds: readonly [Kind, ...Kind[]]
  remove: boolean
  deviceIds: readonly number[]
  onClose: () => void
  onDone: () => void
}
type Target = { orgId?: number; userIds?: number[]; storeId?: number }

/**
 * Target, then what would happen to each machine, then doing it: the dry run and the act are the
 * same call.
 */
export function AssignDialog({ kinds, remove, deviceIds: ids, onClose, onDone }: Props) {
  const { t } = useTranslation(['distribution', 'web'])
  const active = useActiveTab()
  const confirm = useConfirm()
  const [kind, setKind] = useState<Kind>(kinds[0])
  const [target, setTarget] = useState<Target>({})
  const [tried, setTried] = useState<Outcome | null>(null)
  const [ran, setRan] = useState<Outcome | null>(null)
  const assign = useWrite(distribution.assignMany)
  const take = useWrite(distribution.removeMany)
  const orgs = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const busy = assign.isPending || take.isPending
  const deviceIds = [...ids]
  const choose = (next: Target) => {
    setTarget(next)
    setTried(null)
  }
  const send = (dryRun: boolean, onSuccess: (outcome: Outcome) => void) =>
    remove
      ? take.mutate({ deviceIds, kind, dryRun }, { onSuccess })
      : assign.mutate({ deviceIds, kind, ...target, dryRun }, { onSuccess })
  const run = async () => {
    const org = orgs.data?.list.find((one) => one.id === target.orgId)?.name ?? ''
    const question = remove
      ? {
          title: t(kind === 'STORE' ? 'removeStoreAsk' : 'removeAsk'),
          ok: t('remove'),
          danger: true,
        }
      : {
          title: t('transferAskMany', { n: tried?.done ?? 0, org }),
          ok: t('owner.save'),
          danger: true,
        }
    if ((remove || kind === 'OWNER') && !(await confirm(question))) return
    send(false, (outcome) => {
      setRan(outcome)
      onDone()
    })
  }
  if (!active) return null
  const tooMany = ids.length > mostAssigned
  const ready =
    remove ||
    (kind === 'OWNER' ? target.orgId : kind === 'STORE' ? target.storeId : target.userIds?.length)
  const shown = ran ?? tried
  const title = remove
    ? `${t('remove')} · ${t(`enums.kind.${kind}`)}`
    : t(
        {
          OWNER: 'toOwner',
          REPLENISHER: 'toReplenisher',
          REPAIRER: 'toRepairer',
          STORE: 'toStore',
        }[kind],
      )
  const footer = ran ? (
    <Button type="primary" onClick={onClose}>
      {t('web:action.close')}
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>{t('web:action.cancel')}</Button>
      {tried ? (
        <Button
          type="primary"
          danger={remove}
          disabled={tried.done === 0}
          loading={busy}
          onClick={() => void run()}
        >
          {t('run', { n: tried.done })}
        </Button>
      ) : (
        <Button
          type="primary"
          disabled={!ready || tooMany}
          loading={busy}
          onClick={() => send(true, setTried)}
        >
          {t('check')}
        </Button>
      )}
    </>
  )
  return (
    <Modal
      open
      width={600}
      title={title}
      onCancel={onClose}
      footer={footer}
      mask={{ closable: false }}
    >
      <Flex vertical gap={12}>
        {kinds.length > 1 && !ran ? (
          <Segmented
            block
            aria-label={t('what')}
            value={kind}
            options={kinds.map((value) => ({ value, label: t(`enums.kind.${value}`) }))}
            onChange={(next) => {
              setKind(next)
              choose({})
            }}
          />
        ) : null}
        {tooMany ? <Alert type="error" showIcon title={t('mostDevices')} /> : null}
        {remove || ran ? null : (
          // biome-ignore lint/a11y/noLabelWithoutControl: the picker brings its control
          <label>
            {t('target')}
            {kind === 'OWNER' ? (
              <OwnerSelect
                value={target.orgId}
                onChange={(orgId) => choose(orgId ? { orgId } : {})}
              />
            ) : null}
            {kind === 'STORE' ? (
              <StoreSelect
                value={target.storeId}
                onChange={(storeId) => choose(storeId ? { storeId } : {})}
              />
            ) : null}
            {kind === 'REPLENISHER' || kind === 'REPAIRER' ? (
              <PeopleSelect
                kind={kind}
                value={target.userIds ?? []}
                onChange={(userIds) => choose({ userIds })}
              />
            ) : null}
          </label>
        )}
        {shown ? (
          <Alert
            type={shown.skipped ? 'warning' : 'success'}
            showIcon
            title={said((key, values) => t(key, values ?? {}), shown, ran !== null)}
          />
        ) : (
          <Muted>{t('selected', { n: ids.length })}</Muted>
        )}
        {shown ? <Results outcome={shown} fine={t(ran ? 'fineDone' : 'fine')} /> : null}
      </Flex>
    </Modal>
  )
}

type Say = (key: string, values?: Record<string, unknown>) => string
function said(t: Say, { done, skipped }: Outcome, ran: boolean): string {
  if (ran) return t('ran', { n: done, m: skipped })
  if (done === 0) return t('noneFine')
  return skipped ? t('checked', { n: done, m: skipped }) : t('allFine', { n: done })
}

/** Those that are left out first, each with its reason. */
function Results({ outcome, fine }: { outcome: Outcome; fine: string }) {
  const rows = [...outcome.results].sort((a, b) => Number(a.ok) - Number(b.ok))
  return (
    <div style={{ maxHeight: 320, overflow: 'auto' }}>
      <Lines columns="128px 1fr">
        {rows.map((row) => (
          <li key={row.deviceId}>
            <StatusTag tone={row.ok ? 'online' : 'warn'}>{row.rtuNumber}</StatusTag>
            {row.ok ? <Muted>{row.reason || fine}</Muted> : <Bad>{row.reason}</Bad>}
          </li>
        ))}
      </Lines>
    </div>
  )
}
