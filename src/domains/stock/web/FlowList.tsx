import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { ShortNumber } from '../../../web/ui/ShortNumber.tsx'
import { Bad, Cut, Muted } from '../../../web/ui/Text.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { FlowRow, stock } from '../contract.ts'

/** Losses stand out; the sign says what comes in and what goes. */
const losses: readonly FlowRow['reason'][] = ['COUNT_LOSS', 'WASTE', 'EXPIRED', 'RECALL']
const signed = (count: number) => (count > 0 ? `+${formatCount(count)}` : formatCount(count))

export function FlowList() {
  const { t } = useTranslation('stock')
  const col = useCols(FlowRow, 'stock')
  const may = useMay()
  const orderOf = (num: string) => (may('order:read') ? { to: `/order/order-details/${num}` } : {})
  const actor = (row: FlowRow) => row.actorName ?? t(`enums.actorKind.${row.actorKind}`)
  return (
    <ListPage
      ns="stock"
      endpoint={stock.flows}
      live="stock"
      filters={[
        { key: 'rtuNumber', label: t('list.device') },
        'keyword',
        { key: 'type', width: 128 },
        { key: 'reason', width: 128 },
        'range',
        { key: 'cargoRoad', more: true },
        { key: 'batchNo', more: true },
        ...(may('trace-code:read') ? [{ key: 'traceCode', more: true }] : []),
        ...(may('user:lookup') ? [{ key: 'actorId', picker: PersonSelect, more: true }] : []),
        { key: 'orderNum', more: true },
        { key: 'wasteNum', more: true },
      ]}
      columns={[
        col('createTime'),
        col('rtuNumber', {
          fit: (_, row) => `${row.rtuNumber} ${row.nickname}`,
          render: (_, row) => (
            <Cut title={row.nickname}>
              {row.rtuNumber} <Muted>{row.nickname}</Muted>
            </Cut>
          ),
        }),
        col('cargoRoad'),
        col('productName'),
        col('type'),
        col('reason'),
        col('beforeChangeTotal'),
        col('changeTotal', {
          fit: (value) => signed(Number(value)),
          render: (_, row) => (
            <Bad when={losses.includes(row.reason)}>
              <b>{signed(row.changeTotal)}</b>
            </Bad>
          ),
        }),
        col('afterChangeTotal'),
        col('batchNo'),
        may('trace-code:read') &&
          col('codes', {
            width: 160,
            defaultHidden: true,
            render: (codes: readonly string[]) =>
              codes.length ? (
                <Cut title={codes.join(' ')}>{codes.join(' ')}</Cut>
              ) : (
                <span className="hd-none">—</span>
              ),
          }),
        col('orderNum', {
          width: 112,
          render: (_, { orderNum, visitId }) =>
            orderNum !== null ? (
              <ShortNumber number={orderNum} {...orderOf(orderNum)} />
            ) : visitId !== null && may('replenish:read') ? (
              <Link to={`/stock/replenish/visits?detail=${visitId}`}>
                {t('visit', { id: visitId })}
              </Link>
            ) : (
              <span className="hd-none">—</span>
            ),
        }),
        col('actorName', { fit: (_, row) => actor(row), render: (_, row) => actor(row) }),
        col('wasteNum', {
          width: 112,
          defaultHidden: true,
          render: (num: string) => <ShortNumber number={num} />,
        }),
        col('occurTime', { defaultHidden: true }),
      ]}
      sums={({ sums }) => [
        { label: t('fields.plus'), value: signed(sums.plus) },
        { label: t('fields.minus'), value: signed(sums.minus) },
      ]}
      {...(may('stock-flow:correct') && {
        actions: (row: FlowRow) => [
          { key: 'correct', label: t('correct'), to: `/stock/waste/correct/${row.laneId}` },
        ],
      })}
      empty={{ title: t('list.empty'), hint: t('list.week') }}
      card={['productName', 'cargoRoad', 'reason', 'changeTotal', 'actorName', 'createTime']}
    />
  )
}
