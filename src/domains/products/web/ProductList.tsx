import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { Count } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { useDetail } from '../../../web/useDetail.ts'
import { ImportDialog } from '../../jobs/web/pickers.ts'
import { ProductRow, products } from '../contract.ts'
import { changeable } from './changeable.ts'
import { DrugMark } from './DrugMark.tsx'
import type { Many } from './ProductBatch.tsx'
import { CategorySelect } from './pickers.tsx'

const ProductLanes = lazyDialog(() => import('./ProductLanes.tsx').then((m) => m.ProductLanes))
const page = '/product/product-manage'
const editPath = (row: ProductRow) => (row.can.edit ? `${page}/edit/${row.id}` : undefined)

const ProductBatch = lazyDialog(() => import('./ProductBatch.tsx').then((m) => m.ProductBatch))

export function ProductList() {
  const { t } = useTranslation('products')
  const col = useCols(ProductRow, 'products')
  const may = useMay()
  const navigate = useNavigate()
  const setStatus = useSetStatus()
  const setStatuses = useSetStatuses()
  const detail = useDetail()
  const [importing, setImporting] = useState(false)
  const [many, setMany] = useState<Many | null>(null)
  return (
    <>
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
          <>
            {may('product:import') ? (
              <Button onClick={() => setImporting(true)}>{t('import')}</Button>
            ) : null}
            {may('supplier:read') ? (
              <Button onClick={() => navigate('/product/supplier-batch')}>{t('suppliers')}</Button>
            ) : null}
          </>
        }
        batch={[
          ...(['ON', 'OFF'] as const).map((status) => ({
            key: status,
            label: t(status === 'ON' ? 'publish' : 'unpublish'),
            can: may('product:publish'),
            onClick: (chosen: Selection<ProductRow>) => void setStatuses(status, chosen),
          })),
          ...(['categoryId', 'retailPrice'] as const).map((what) => ({
            key: what,
            label: t(what === 'categoryId' ? 'setCategory' : 'setPrice'),
            can: may('product:update') && may('product:cost'),
            onClick: (chosen: Selection<ProductRow>) => setMany({ what, ...chosen }),
          })),
        ]}
        views="status"
        filters={[
          'keyword',
          { key: 'categoryId', picker: CategorySelect },
          'drugClass',
          'source',
          { key: 'insured', more: true },
          ...(may('batch:read') ? [{ key: 'supplier', more: true }] : []),
          { key: 'manufacturer', more: true },
          { key: 'approvalNo', more: true },
          { key: 'priceFrom', more: true },
          { key: 'priceTo', more: true },
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
          col('genericName', { defaultHidden: true }),
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
      {importing ? (
        <ImportDialog
          kind="products"
          title={t('import')}
          invalidates={[products.list.path]}
          onClose={() => setImporting(false)}
        />
      ) : null}
      {many ? <ProductBatch {...many} onClose={() => setMany(null)} /> : null}
    </>
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

function useSetStatuses() {
  const { t } = useTranslation('products')
  const confirm = useConfirm()
  const batch = useWrite(products.batch, { success: 'web:success.set' })
  return async (status: 'ON' | 'OFF', { rows, clear }: Selection<ProductRow>) => {
    const items = changeable(rows, 'publish')
    const left = rows.length - items.length
    const skipped = left ? t('skipped', { n: left }) : ''
    if (!items.length) return void (await confirm({ title: skipped, cancel: null }))
    const lanes = rows.reduce((sum, row) => sum + (row.can.publish ? row.laneCount : 0), 0)
    const danger = status === 'OFF' && lanes > 0
    const stops = danger ? t('manyStop', { m: lanes }) : ''
    const title = t(`manyAsk.${status}`, { n: items.length })
    const ok = t(status === 'ON' ? 'publish' : 'unpublish')
    if (await confirm({ title, content: [stops, skipped].filter(Boolean).join(' '), ok, danger }))
      batch.mutate({ items, status }, { onSuccess: clear })
  }
}

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
