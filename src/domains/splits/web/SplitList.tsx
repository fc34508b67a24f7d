import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { useAct } from '../../../web/useAct.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { OneOrganisation, OwnerSelect } from '../../accounts/web/pickers.tsx'
import { ReferrerSelect } from '../../referrers/web/pickers.tsx'
import { SplitRow, splits } from '../contract.ts'
import { useSplitViews } from './pickers.ts'
import { ShareChips, short } from './ShareChips.tsx'
import { SplitDrawer } from './SplitDrawer.tsx'

const invalidates = ['/api/finance']

/** What became of the share of each sale: the second tab of the page. */
export function SplitList() {
  const { t } = useTranslation('splits')
  const col = useCols(SplitRow, 'splits')
  const may = useMay()
  const detail = useDetail()
  const run = useAct(splits.run, { ask: t('runAsk'), ok: t('run'), danger: false, invalidates })
  const retry = useAct(splits.retry, { invalidates })
  const toLedger = useAct(splits.toLedger, {
    ask: ({ ledgerBy }: SplitRow) => t(ledgerBy === null ? 'toLedgerAsk' : 'toLedgerAgree'),
    ok: t('toLedger'),
    invalidates,
  })
  return (
    <ListPage
      ns="splits"
      endpoint={splits.list}
      live="splits"
      title={t('views.orders')}
      views={useSplitViews('orders')}
      detail={SplitDrawer}
      filters={[
        'orderNum',
        'state',
        'range',
        { key: 'orgId', picker: OwnerSelect },
        { key: 'partyId', picker: OneOrganisation, more: true },
        ...(may('referrer:read')
          ? [{ key: 'referrerId' as const, picker: ReferrerSelect, more: true }]
          : []),
        { key: 'splitNo', more: true },
        { key: 'due', more: true },
        { key: 'odd', more: true },
      ]}
      columns={[
        col('splitNo', {
          fixed: 'start',
          width: 138,
          // what tells them apart is at the end: the order of the day, and which part of it
          render: (number: string, row) => (
            <ShortNumber number={number} tail={9} to={detail.to(row.id)} />
          ),
        }),
        col('orderNum', { defaultHidden: true }),
        col('rtuNumber'),
        col('paid'),
        col('fee', { defaultHidden: true }),
        col('shares', {
          fit: (_, { shares }) =>
            shares.map(({ name, given }) => `${short(name)} ${yuan(given)}    `).join(''),
          render: (_, { shares }) => <ShareChips shares={shares} />,
        }),
        col('state'),
        col('dueAt'),
        col('doneAt'),
        col('failReason', { defaultHidden: true }),
        col('orgName', { defaultHidden: true }),
        col('strategyName', { defaultHidden: true }),
        col('versionNo', { defaultHidden: true }),
        col('mode', { defaultHidden: true }),
        col('ledgerBy', { defaultHidden: true }),
        col('createTime', { defaultHidden: true }),
      ]}
      actions={(row) => [
        { key: 'run', label: t('run'), can: row.can.run, onClick: () => void run(row) },
        { key: 'retry', label: t('retry'), can: row.can.retry, onClick: () => void retry(row) },
        {
          key: 'toLedger',
          label: t('toLedger'),
          can: row.can.toLedger,
          onClick: () => void toLedger(row),
        },
      ]}
      empty={{ title: t('noSplits') }}
      card={['rtuNumber', 'paid', 'shares', 'state', 'dueAt']}
    />
  )
}
