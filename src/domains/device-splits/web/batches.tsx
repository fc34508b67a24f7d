import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useRead, useWrite } from '../../../web/api.ts'
import { BatchDialog, useBatch } from '../../../web/BatchDialog.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { StrategySelect } from '../../split-strategies/web/pickers.tsx'
import { deviceSplits } from '../contract.ts'

type Chosen = {
  readonly ids: number[]
  /** All of them have a strategy already. */
  readonly bound: boolean
  /** Whose the machines are. */
  readonly orgIds: readonly number[]
  readonly onClose: () => void
  readonly onDone: () => void
}
const invalidates = ['/api/finance']

/** Takes back what was just done, and closes. */
function Undo({ actId, onClose }: { actId: string | null | undefined; onClose: () => void }) {
  const { t } = useTranslation('deviceSplits')
  const undo = useWrite(deviceSplits.undo, {
    success: 'deviceSplits:success.undo',
    invalidates,
    onSuccess: onClose,
  })
  return actId ? (
    <Button loading={undo.isPending} onClick={() => undo.mutate({ actId })}>
      {t('undo')}
    </Button>
  ) : null
}

/** A published strategy for the chosen machines: what it replaces, and what it makes of ten yuan. */
export function BindBatch({ ids, bound, orgIds, ...ends }: Chosen) {
  const { t } = useTranslation('deviceSplits')
  const [strategyId, setStrategyId] = useState<number | null>(null)
  const input = { ids, strategyId: strategyId ?? 0 }
  const batch = useBatch({
    preview: deviceSplits.previewBind,
    asked: input,
    enabled: strategyId !== null,
    save: deviceSplits.bind,
    input,
    success: 'deviceSplits:success.bind',
    invalidates,
    ...ends,
  })
  const sample = useRead(
    deviceSplits.sample,
    { strategyId: strategyId ?? 0 },
    { inline: true, enabled: strategyId !== null },
  ).data
  const only = orgIds.length === 1 ? orgIds[0] : undefined
  return (
    <BatchDialog
      {...batch}
      title={t(bound ? 'change' : 'bind')}
      after={<Undo actId={batch.result?.actId} onClose={ends.onClose} />}
      ask={
        <Flex vertical gap={8}>
          <StrategySelect
            value={strategyId}
            onChange={(id) => setStrategyId(id ?? null)}
            {...(only === undefined ? {} : { orgId: only })}
          />
          <span>{t('newOnly')}</span>
          {sample ? (
            <Muted>
              {t('sample')}{' '}
              {sample.parties.map(({ name, amount }) => `${name} ${yuan(amount)}`).join(' · ')}
            </Muted>
          ) : null}
        </Flex>
      }
      mark={({ from, to }) => <Muted>{t('toNew', { from: from || t('unbound'), to })}</Muted>}
    />
  )
}

/** No strategy any more: asked with how many are paused by it. */
export function ReleaseBatch({ ids, onClose, onDone }: Chosen) {
  const ends = { onClose, onDone }
  const { t } = useTranslation('deviceSplits')
  const batch = useBatch({
    preview: deviceSplits.previewRelease,
    asked: { ids },
    save: deviceSplits.release,
    input: { ids, confirmed: true },
    success: 'deviceSplits:success.release',
    invalidates,
    ...ends,
  })
  return (
    <BatchDialog
      {...batch}
      title={t('release')}
      after={<Undo actId={batch.result?.actId} onClose={ends.onClose} />}
      danger
      ask={t('releaseAsk', { n: batch.plan?.done ?? ids.length })}
      mark={({ from }) => <Muted>{from}</Muted>}
    />
  )
}
