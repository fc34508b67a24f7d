import { Flex, Progress } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useAct } from '../../../web/useAct.ts'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { type Code, ofKind } from '../contract.ts'
import { type RolloutRow, RolloutRow as Row } from '../rolloutContract.ts'
import type { Asking } from './RolloutDialogs.tsx'

const ReasonDialog = lazyDialog(() => import('./RolloutDialogs.tsx').then((m) => m.ReasonDialog))
const Drawer = lazyDialog(() => import('./RolloutDrawer.tsx').then((m) => m.RolloutDrawer))
const details = {
  apk: (props: DetailProps) => <Drawer code="apk" {...props} />,
  firmware: (props: DetailProps) => <Drawer code="firmware" {...props} />,
}

export const ApkHistory = () => <RolloutList code="apk" />
export const FirmwareHistory = () => <RolloutList code="firmware" />

/** Roll-outs of one kind, how far each is, and what a person can do about it. */
function RolloutList({ code }: { code: Code }) {
  const { t } = useTranslation('releases')
  const col = useCols(Row, 'releases')
  const api = ofKind[code]
  const [asking, setAsking] = useState<{ what: Asking; row: RolloutRow } | null>(null)
  const name = (row: RolloutRow) => `${row.name} · ${row.versionName}`
  const approve = useAct(api.approve, {
    ask: t('approveAsk'),
    name,
    ok: t('approve'),
    danger: false,
  })
  const next = useAct(api.nextStage, { ask: t('nextStageAsk'), name, danger: false })
  const retry = useAct(api.retry, {
    ask: (row: RolloutRow) => t('retryAsk', { n: row.failed }),
    name,
    danger: false,
  })
  const why = ({ pause, reason }: RolloutRow) =>
    [pause ? t(`enums.pause.${pause}`) : '', reason].filter(Boolean).join(' · ')
  const ask = (what: Asking) => (row: RolloutRow) => () => setAsking({ what, row })
  return (
    <>
      <ListPage
        ns="releases"
        endpoint={api.rollouts}
        live="releases"
        detail={details[code]}
        filters={[
          { key: 'keyword', label: t('fields.name_') },
          'state',
          { key: 'deviceId', picker: DeviceSelect as never },
          { key: 'range', more: true },
        ]}
        columns={[
          col('name', { title: t('fields.name_') }),
          col('versionName'),
          col('devices'),
          col('stages', {
            fit: () => 'MMMMMMMMMM',
            render: (_, row) => <Stages row={row} />,
          }),
          col('succeeded'),
          col('failed'),
          col('rolledBack', { defaultHidden: true }),
          col('pending'),
          col('successShare'),
          col('state'),
          col('reason', { fit: (_, row) => why(row), render: (_, row) => why(row) || '—' }),
          col('target', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('author', { title: t('fields.creator'), defaultHidden: true }),
          col('approver', { defaultHidden: true }),
          col('startTime', { defaultHidden: true }),
          col('finishTime', { defaultHidden: true }),
          col('createTime'),
        ]}
        actions={(row) => [
          {
            key: 'approve',
            label: t('approve'),
            can: row.can.approve,
            onClick: () => void approve(row),
          },
          {
            key: 'reject',
            label: t('reject'),
            danger: true,
            can: row.can.reject,
            onClick: ask('reject')(row),
          },
          {
            key: 'next',
            label: t('nextStage'),
            can: row.can.nextStage,
            onClick: () => void next(row),
          },
          { key: 'pause', label: t('pauseAct'), can: row.can.pause, onClick: ask('pause')(row) },
          { key: 'resume', label: t('resume'), can: row.can.resume, onClick: ask('resume')(row) },
          { key: 'retry', label: t('retry'), can: row.can.retry, onClick: () => void retry(row) },
          { key: 'revert', label: t('revert'), can: row.can.revert, onClick: ask('revert')(row) },
          {
            key: 'abort',
            label: t('abortAct'),
            danger: true,
            can: row.can.abort,
            onClick: ask('abort')(row),
          },
        ]}
        empty={{ title: t('noRollouts'), hint: t('noRolloutsHint') }}
        card={['versionName', 'devices', 'stages', 'successShare', 'createTime']}
      />
      {asking ? <ReasonDialog code={code} {...asking} onClose={() => setAsking(null)} /> : null}
    </>
  )
}

/** A bar a stage, as wide as its share of the machines. */
function Stages({ row }: { row: RolloutRow }) {
  const all = Math.max(1, row.devices)
  return (
    <Flex gap={3} style={{ width: 130 }}>
      {row.stages.map((stage, i) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: stages have no other name
          key={i}
          style={{ flex: `${Math.max(0.15, stage.total / all)} 1 0`, minWidth: 14 }}
          title={`${stage.succeeded} / ${stage.total}`}
        >
          <Progress
            size="small"
            showInfo={false}
            status={stage.failed > 0 ? 'exception' : 'normal'}
            percent={
              (100 * (stage.succeeded + stage.failed)) / Math.max(1, stage.total - stage.left)
            }
          />
        </div>
      ))}
    </Flex>
  )
}
