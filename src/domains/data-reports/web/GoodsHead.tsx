import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import type { ApiError } from '../../../web/call.ts'
import { formatCount } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import type { dataReports } from '../contract.ts'
import { figuresOf, periodOf } from './pieces.tsx'
import { ReportHead } from './ReportHead.tsx'

type Data = Output<typeof dataReports.productsSummary>
type Props = { read: UseQueryResult<Data, ApiError>; slow?: boolean }

/** What goods brought in, and the largest of them; of those that do not sell, what lies there. */
export function GoodsHead({ read, slow = false }: Props) {
  const { t } = useTranslation('dataReports')
  const cost = useMay()('product:cost')
  return (
    <ReportHead
      read={read}
      figures={({ sums, before }) =>
        // nothing was sold of them
        slow
          ? []
          : figuresOf(
              t,
              [
                ['salesNum', 'count'],
                ['turnover', 'fen'],
                ['payAmount', 'fen'],
                ['refundAmount', 'fen'],
                ...(cost ? ([['grossProfit', 'fen']] as const) : []),
                ['refundedPieces', 'count'],
              ],
              sums,
              before,
            )
      }
      note={({ from, to, before }) => periodOf(t, { from, to }, before)}
      chart={({ bars, from, to }) => ({
        label: t('goodsChart', { from, to }),
        left: t(slow ? 'fields.stock' : 'fields.salesNum'),
        named: true,
        categories: bars.map(({ name }) => name),
        series: [
          {
            name: t(slow ? 'fields.stock' : 'fields.salesNum'),
            kind: 'bar',
            values: bars.map(({ salesNum }) => salesNum),
            format: formatCount,
          },
        ],
      })}
    />
  )
}
