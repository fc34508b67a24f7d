import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useMay } from '../../../web/session.ts'
import { useAct } from '../../../web/useAct.ts'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { DifferenceRow, reconciliation } from '../contract.ts'
import { amountOf } from './amountOf.tsx'

const ResolveDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.ResolveDialog))
const IgnoreDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.IgnoreDialog))
const AssignDialog = lazyDialog(() => import('./dialogs.tsx').then((m) => m.AssignDialog))

type Doing = { what: 'resolve' | 'ignore' | 'assign'; row: DifferenceRow }
/** Kinds that the page of orders makes good: its payment is looked for by the channel's number. */
const madeGood = ['CHANNEL_ONLY', 'DUPLICATE', 'STATUS']

/** What did not agree, until somebody has said why. */
export function DifferenceList() {
  const { t } = useTranslation(['reconciliation', 'web'])
  const col = useCols(DifferenceRow, 'reconciliation')
  const may = useMay()
  const navigate = useNavigate()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const name = (row: DifferenceRow) =>
    `${row.day} · ${t(`enums.kind.${row.kind}`)} · ${row.subject}`
  const claim = useAct(reconciliation.claim, {})
  const claimMany = useAct(reconciliation.claimMany, {})
  const ask = useAct(reconciliation.ask, { ask: t('askAsk'), name, danger: false })
  const approve = useAct(reconciliation.approve, { ask: t('approveAsk'), name, danger: false })
  const reopen = useAct(reconciliation.reopen, { ask: t('reopenAsk'), name })
  return (
    <>
      <ListPage
        ns="reconciliation"
        texts="difference"
        endpoint={reconciliation.differences}
        live="reconciliation"
        title={t('differences')}
        header={
          <Button onClick={() => navigate('/finance/billing-details/reconciliation')}>
            {t('toRuns')}
          </Button>
        }
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          { key: 'open', label: t('openOnes'), query: { open: true } },
          { key: 'review', label: t('enums.state.REVIEW'), query: { state: 'REVIEW' } },
        ]}
        filters={[
          'range',
          'kind',
          'state',
          'merchant',
          ...(may('user:lookup') ? [{ key: 'handlerId', picker: PersonSelect, more: true }] : []),
          { key: 'part', more: true },
          { key: 'treatment', more: true },
        ]}
        columns={[
          col('kind', { tones: {}, fixed: 'start' }),
          col('day', { defaultHidden: true }),
          col('subject'),
          col('orderNum', {
            defaultHidden: true,
            link: (row) => (may('order:read') ? `/order/order-details/${row.orderNum}` : undefined),
          }),
          col('localAmount', amountOf<DifferenceRow>()),
          col('otherAmount', amountOf<DifferenceRow>()),
          col('gap', amountOf<DifferenceRow>()),
          col('age'),
          col('state'),
          col('handler'),
          col('reason', { defaultHidden: true }),
          col('treatment', { defaultHidden: true, tones: {} }),
          col('answer', { defaultHidden: true }),
          col('askTime', { defaultHidden: true }),
          col('merchant', { defaultHidden: true }),
          col('part', { defaultHidden: true, tones: {} }),
          col('rtuNumber', { defaultHidden: true }),
          col('orgName', { defaultHidden: true }),
          col('approver', { defaultHidden: true }),
          col('handleTime', { defaultHidden: true }),
          col('createTime', { defaultHidden: true }),
          col('wanted', { defaultHidden: true, tones: {} }),
          col('settled', { defaultHidden: true }),
          col('provider', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'claim',
            label: t('claim'),
            can: row.can.claim,
            onClick: () => void claim(row),
          },
          {
            key: 'resolve',
            label: t('resolve'),
            can: row.can.resolve,
            onClick: () => setDoing({ what: 'resolve', row }),
          },
          {
            key: 'ask',
            label: t('ask'),
            can: row.can.ask,
            onClick: () => void ask(row),
          },
          {
            key: 'good',
            label: t('makeGood'),
            can:
              row.can.resolve &&
              row.part === 'BILL' &&
              may('order:supplement') &&
              madeGood.includes(row.kind),
            to: `/order/order-details?tradeNo=${encodeURIComponent(row.subject)}`,
          },
          {
            key: 'assign',
            label: t('assign'),
            can: row.can.claim && may('user:lookup'),
            onClick: () => setDoing({ what: 'assign', row }),
          },
          {
            key: 'ignore',
            label: t('ignore'),
            can: row.can.resolve,
            onClick: () => setDoing({ what: 'ignore', row }),
          },
          {
            key: 'approve',
            label: t('approve'),
            can: row.can.approve,
            onClick: () => void approve(row),
          },
          {
            key: 'reopen',
            label: t('reopen'),
            can: row.can.reopen,
            onClick: () => void reopen(row),
          },
        ]}
        batch={
          may('recon:resolve')
            ? [
                {
                  key: 'claim',
                  label: t('claim'),
                  onClick: ({ rows, clear }) =>
                    void claimMany({}, { ids: rows.map(({ id }) => id) }, clear),
                },
              ]
            : []
        }
        empty={{ title: t('noDifferences'), hint: t('noDifferencesHint') }}
        card={['subject', 'localAmount', 'otherAmount', 'gap', 'handler', 'reason']}
      />
      {doing?.what === 'resolve' ? <ResolveDialog row={doing.row} onClose={close} /> : null}
      {doing?.what === 'ignore' ? <IgnoreDialog row={doing.row} onClose={close} /> : null}
      {doing?.what === 'assign' ? <AssignDialog row={doing.row} onClose={close} /> : null}
    </>
  )
}
