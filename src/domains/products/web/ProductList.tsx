import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { Count, Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { ProductRow, products } from '../contract.ts'
import { DrugMark } from './DrugMark.tsx'
import { ProductLanes } from './ProductLanes.tsx'
import { CategorySelect } from './pickers.tsx'
import styles from './products.module.css'

const tones: Record<ProductRow['status'], Tone> = { ON: 'online', OFF: 'offline' }
const editPath = (row: ProductRow) => `/product/product-manage/edit/${row.id}`

export function ProductList() {
  const { t } = useTranslation(['products', 'web'])
  const col = useCols(ProductRow, 'products')
  const may = useMay()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const publish = useWrite(products.publish, { success: 'products:success.publish' })
  const remove = useWrite(products.remove, { success: 'products:success.remove' })
  const [placed, setPlaced] = useState<ProductRow | null>(null)

  const setStatus = async (row: ProductRow) => {
    const status = row.status === 'ON' ? 'OFF' : 'ON'
    const content =
      status === 'ON' ? t('list.publishAsk') : row.laneCount > 0 ? t('list.unpublishAsk', { n: row.deviceCount, m: row.laneCount }) : t('list.unpublishFree')
    const ok = t(status === 'ON' ? 'list.publish' : 'list.unpublish')
    if (await confirm({ title: `${ok} ${row.name}`, content, ok, danger: status === 'OFF' && row.laneCount > 0 }))
      publish.mutate({ id: row.id, status, version: row.version })
  }
  const askRemove = async (row: ProductRow) => {
    if (await confirm({ title: `${t('list.remove')} ${row.name}`, content: t('list.removeAsk'), danger: true }))
      remove.mutate({ id: row.id, version: row.version })
  }
  const percent = (margin: number | null) =>
    margin === null ? (
      <span className="hd-none">—</span>
    ) : (
      <span className={margin < 0 ? styles.low : undefined}>{(margin / 10).toFixed(1).replace('-', '\u2212')}%</span>
    )
  const cost = may('product:cost') ? [col('costPrice', { width: 88 })] : []
  const margin = may('product:cost') ? [col('margin', { width: 80, render: (_, row) => percent(row.margin) })] : []
  return (
    <>
      <ListPage
        title={t('list.title')}
        ns="products"
        endpoint={products.list}
        rowKey="id"
        live="products"
        views={[
          { key: 'all', label: t('web:list.all'), query: {} },
          { key: 'on', label: t('list.on'), query: { status: 'ON' } },
          { key: 'off', label: t('list.off'), query: { status: 'OFF' } },
        ]}
        filters={[
          { key: 'keyword', label: t('fields.keyword') },
          { key: 'categoryId', picker: ({ onChange, ...rest }) => <CategorySelect {...rest} onChange={onChange} /> },
          { key: 'drugClass' },
          { key: 'source' },
          { key: 'status', more: true },
        ]}
        columns={[
          col('img', {
            width: 56,
            render: (src: string) => (
              <span className={styles.thumb}>
                <Picture src={src} />
              </span>
            ),
          }),
          col('name', { width: 160, fixed: 'start', render: (_, row) => (row.can.edit ? <Link to={editPath(row)}>{row.name}</Link> : row.name) }),
          col('model', { width: 104 }),
          col('categoryName', { width: 88 }),
          col('drugClass', { width: 136, render: (_, row) => <DrugMark drugClass={row.drugClass} word /> }),
          col('barcode', { width: 140 }),
          ...cost,
          col('retailPrice', { width: 96 }),
          ...margin,
          col('laneCount', {
            title: t('fields.placed'),
            width: 136,
            render: (_, row) => (
              <>
                <Count value={row.deviceCount} /> / <Count value={row.laneCount} />
              </>
            ),
          }),
          col('stock', { width: 88 }),
          col('sales30', { width: 120 }),
          col('status', { width: 88, tones }),
          col('updateTime', { width: 124 }),
          col('source', { width: 88, defaultHidden: true }),
          col('orgName', { width: 160, defaultHidden: true }),
        ]}
        header={
          may('product:create') ? (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => navigate('/product/product-manage/create')}>
              {t('list.create')}
            </Button>
          ) : null
        }
        actions={(row) => [
          {
            key: 'edit',
            label: t('list.edit'),
            can: row.source === 'INHERITED' ? may('product:update') : row.can.edit,
            to: editPath(row),
            disabled: row.can.edit ? undefined : t('list.inherited'),
          },
          { key: 'lanes', label: t('list.lanes'), onClick: () => setPlaced(row) },
          { key: 'publish', label: t(row.status === 'ON' ? 'list.unpublish' : 'list.publish'), can: row.can.publish, onClick: () => void setStatus(row) },
          { key: 'copy', label: t('list.copy'), can: may('product:create'), to: `/product/product-manage/create?from=${row.id}` },
          {
            key: 'remove',
            label: t('list.remove'),
            danger: true,
            can: row.source === 'OWN' && may('product:delete'),
            disabled: row.can.delete ? undefined : t('list.isUsed'),
            onClick: () => void askRemove(row),
          },
        ]}
        empty={{ title: t('list.empty') }}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <Picture src={row.img} size={48} />
              <div className={styles.cardText}>
                <strong>
                  {row.name} <DrugMark drugClass={row.drugClass} />
                </strong>
                <span>
                  {row.model} · {row.categoryName}
                </span>
              </div>
              <StatusTag tone={tones[row.status]} chip>
                {t(`enums.status.${row.status}`)}
              </StatusTag>
            </div>
            <div className={styles.cardFacts}>
              <span>
                {t('fields.retailPrice')}{' '}
                <b>
                  <Money fen={row.retailPrice} />
                </b>
              </span>
              <span>
                {t('fields.placed')}{' '}
                <b>
                  {row.deviceCount} / {row.laneCount}
                </b>
              </span>
              <span>
                {t('fields.stock')} <b>{row.stock}</b>
              </span>
              <span>
                {t('fields.sales30')} <b>{row.sales30}</b>
              </span>
            </div>
            {actions}
          </>
        )}
      />
      {placed ? <ProductLanes product={placed} onClose={() => setPlaced(null)} /> : null}
    </>
  )
}
