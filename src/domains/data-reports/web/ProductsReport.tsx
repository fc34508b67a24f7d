import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { Money } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { CategorySelect, ProductSelect } from '../../products/web/pickers.tsx'
import { dataReports } from '../contract.ts'
import { GoodsRow } from '../goodsContract.ts'
import { GoodsHead } from './GoodsHead.tsx'
import { askedOf, placeFilters } from './pieces.tsx'

const nothing = {}

/** What was sold of each product. */
export function ProductsReport() {
  const { t } = useTranslation('dataReports')
  const col = useCols(GoodsRow, 'dataReports')
  const may = useMay()
  const cost = may('product:cost')
  const { query } = useListQuery(dataReports.products.input, nothing)
  const read = useRead(dataReports.productsSummary, askedOf(query), { inline: true, keep: true })
  const group = String(query.groupBy)
  const category = group === 'CATEGORY'
  return (
    <ListPage
      ns="dataReports"
      endpoint={dataReports.products}
      live="orders"
      filters={[
        'groupBy',
        ...placeFilters,
        {
          key: 'categoryId',
          picker: (props) => <CategorySelect {...(props as object)} />,
          more: true,
        },
        {
          key: 'productId',
          picker: (props) => <ProductSelect {...(props as object)} />,
          more: true,
        },
      ]}
      notice={<GoodsHead read={read} />}
      columns={[
        col('name', { title: t(category ? 'fields.categoryName' : 'fields.product') }),
        !category && col('model'),
        !category && col('categoryName', { defaultHidden: true }),
        group === 'PRODUCT_DEVICE' && col('rtuNumber'),
        col('salesNum'),
        col('turnover'),
        col('payAmount', { defaultHidden: true }),
        col('refundAmount'),
        cost && col('productCost', { defaultHidden: true }),
        cost && col('grossProfit'),
        cost && col('margin'),
        col('refundRate'),
        col('laneCount'),
        col('deviceCount', { defaultHidden: true }),
        col('dailySales'),
        col('orderTotal', { defaultHidden: true }),
        col('orderRefund', { defaultHidden: true }),
        col('refundedPieces', { defaultHidden: true }),
        cost && col('profit', { defaultHidden: true }),
        col('service', { defaultHidden: true }),
      ]}
      sums={({ sums }) =>
        (['turnover', 'payAmount', 'refundAmount', 'service'] as const).map((key) => ({
          label: t(`fields.${key}`),
          value: <Money fen={sums[key]} />,
        }))
      }
      actions={(row) => [
        {
          key: 'product',
          label: t('product'),
          can: may('product:read') && row.productId !== null,
          to: `/product/product-manage?detail=${row.productId}`,
        },
      ]}
      empty={{ title: t('empty') }}
      card={['salesNum', 'turnover', 'payAmount', 'refundAmount', 'laneCount']}
    />
  )
}
