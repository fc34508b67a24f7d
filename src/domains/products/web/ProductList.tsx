import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { Count } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { ProductRow, products } from '../contract.ts'
import { DrugMark } from './DrugMark.tsx'
import { CategorySelect } from './pickers.tsx'

const ProductLanes = lazyDialog(() => import('./ProductLanes.tsx').then((m) => m.ProductLanes))
const page = '/product/product-manage'
const editPath = (row: ProductRow) => (row.can.edit ? `${page}/edit/${row.id}` : undefined)

export function ProductList() {
  const { t } = useTranslation('products')
  const col = useCols(ProductRow, 'products')
  const may = useMay()
  const navigate = useNavigate()
  const setStatus = useSetStatus()
  const detail = useDetail()
  return (
    <ListPage
      ns="products"
      endpoint={products.list}
      live="products"
      records={{
        create: products.create,
        update: products.edit,
        remove: products.remove,
        whyNotUpdate: (row) => (row.source === 'INHERITED' ? t('inherited') : undefined),
        whyNotRemove: (row) => (row.source === 'OWN' ? t('isUsed') : undefined),
      }}
      detail={ProductLanes}
      header={
        may('supplier:read') ? (
          <Button onClick={() => navigate('/product/supplier-batch')}>{t('suppliers')}</Button>
        ) : null
      }
      views="status"
      filters={[
        'keyword',
        { key: 'categoryId', picker: CategorySelect },
        'drugClass',
        'source',
        { key: 'insured', more: true },
        { key: 'status', more: true },
      ]}
      columns={[
        col('img'),
        col('name', {
          fixed: 'start',
          fit: (_, row) => `${row.name}${row.drugClass === 'NONE' ? '' : ' OTC  '}`,
          render: (_, row) => <Named row={row} to={editPath(row)} />,
          card: { as: 'line', draw: (row) => <Named row={row} /> },
        }),
        col('model'),
        col('categoryName'),
        col('drugClass', {
          width: 136,
          defaultHidden: true,
          render: (_, row) => <DrugMark drugClass={row.drugClass} word />,
        }),
        col('barcode', { defaultHidden: true }),
        may('product:cost') && col('costPrice', { defaultHidden: true }),
        col('retailPrice'),
        may('product:cost') && col('margin'),
        col('laneCount', {
          title: t('fields.placed'),
          fit: (_, row) => `${row.deviceCount} / ${row.laneCount}`,
          render: (_, row) => <Placed row={row} />,
        }),
        col('stock'),
        col('sales30'),
        col('insured', { defaultHidden: true }),
        col('status'),
        col('updateTime', { defaultHidden: true }),
        col('source', { defaultHidden: true }),
        col('orgName', { defaultHidden: true }),
      ]}
      actions={(row) => [
        { key: 'lanes', label: t('lanes'), to: detail.to(row.id) },
        {
          key: 'publish',
          label: t(row.status === 'ON' ? 'unpublish' : 'publish'),
          can: row.can.publish,
          onClick: () => void setStatus(row),
        },
        {
          key: 'copy',
          label: t('copy'),
          can: may('product:create'),
          to: `${page}/create?from=${row.id}`,
        },
      ]}
      card={['model', 'categoryName', 'retailPrice', 'laneCount', 'stock', 'sales30']}
    />
  )
}

const Named = ({ row, to }: { row: ProductRow; to?: string | undefined }) => (
  <>
    {to ? <Link to={to}>{row.name}</Link> : row.name} <DrugMark drugClass={row.drugClass} />
  </>
)

const Placed = ({ row }: { row: ProductRow }) => (
  <>
    <Count value={row.deviceCount} /> / <Count value={row.laneCount} />
  </>
)

/** On the shelf or off it, once the person knows how many lanes stop selling. */
function useSetStatus() {
  const { t } = useTranslation('products')
  const confirm = useConfirm()
  const publish = useWrite(products.publish, { success: 'web:success.set' })
  return async (row: ProductRow) => {
    const placed = row.laneCount > 0
    const off = row.status === 'ON'
    const stops = { n: row.deviceCount, m: row.laneCount }
    const content = off ? (placed ? t('unpublishAsk', stops) : t('unpublishFree')) : t('publishAsk')
    const ok = t(off ? 'unpublish' : 'publish')
    if (await confirm({ title: `${ok} ${row.name}`, content, ok, danger: off && placed }))
      publish.mutate({ id: row.id, status: off ? 'OFF' : 'ON', version: row.version })
  }
}
