import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { useMay } from '../../../web/session.ts'
import { CategorySelect } from '../../products/web/pickers.tsx'
import { dataReports } from '../contract.ts'
import { RankRow } from '../goodsContract.ts'
import { GoodsHead } from './GoodsHead.tsx'
import { askedOf, Forbidden, placeFilters } from './pieces.tsx'

const nothing = {}

/** What sells, what lies in its lanes, and what to do about it; the home page leads here too. */
export function BestSellers() {
  return useMay()('best-selling:read') ? <Ranking /> : <Forbidden />
}

function Ranking() {
  const { t } = useTranslation('dataReports')
  const col = useCols(RankRow, 'dataReports')
  const may = useMay()
  const { query } = useListQuery(dataReports.ranking.input, nothing)
  const read = useRead(dataReports.rankingSummary, askedOf(query), { inline: true, keep: true })
  const slow = query.mode === 'SLOW'
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.ranking}
      live="orders"
      views={(['BEST', 'SLOW'] as const).map((mode) => ({
        key: mode,
        label: t(`enums.mode.${mode}`),
        query: { mode },
      }))}
      filters={[
        ...placeFilters,
        {
          key: 'categoryId',
          picker: (props) => <CategorySelect {...(props as object)} />,
          more: true,
        },
      ]}
      notice={<GoodsHead read={read} slow={slow} />}
      columns={[
        col('rank'),
        col('img'),
        col('name', { title: t('fields.product') }),
        col('model'),
        slow && col('categoryName'),
        slow && col('rtuNumber'),
        !slow && col('salesNum'),
        !slow && col('turnover'),
        !slow && col('share'),
        !slow && may('product:cost') && col('margin'),
        !slow && col('deviceCount'),
        col('laneCount'),
        slow && col('stock'),
        !slow && col('laneSales'),
        col('advice'),
        col('orderRefund', { defaultHidden: true }),
        col('capacity', { defaultHidden: true }),
        col('dailySales', { defaultHidden: true }),
      ]}
      actions={(row) => [
        {
          key: 'product',
          label: t('product'),
          can: may('product:read') && row.productId !== null,
          to: `/product/product-manage?detail=${row.productId}`,
        },
      ]}
      empty={{ title: t('empty') }}
      card={['salesNum', 'turnover', 'laneCount', 'advice']}
    />
  )
}
