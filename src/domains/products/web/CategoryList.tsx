import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { NumberField, TextField } from '../../../web/form/fields.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { Count } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { CategoryRow, products } from '../contract.ts'
import styles from './products.module.css'

export function CategoryList() {
  const { t } = useTranslation(['products', 'web'])
  const col = useCols(CategoryRow, 'products')
  const may = useMay()
  const confirm = useConfirm()
  const remove = useWrite(products.removeCategory, { success: 'products:success.removeCategory', invalidates: ['/api/product-categories'] })
  const [editing, setEditing] = useState<CategoryRow | 'new' | null>(null)
  const productsOf = (row: CategoryRow) =>
    row.productCount > 0 && may('product:read') ? (
      <Link to={`/product/product-manage?categoryId=${row.id}`}>{row.productCount}</Link>
    ) : (
      <Count value={row.productCount} />
    )
  return (
    <>
      <ListPage
        title={t('category.title')}
        ns="products"
        endpoint={products.categories}
        rowKey="id"
        live="products"
        filters={[{ key: 'keyword', label: t('category.name') }]}
        columns={[
          col('id', { title: 'id', width: 72, render: (id: number) => id }),
          col('name', { title: t('category.name'), width: 200 }),
          col('productCount', { width: 112, render: (_, row) => productsOf(row) }),
          col('sort', { width: 96 }),
          col('source', { width: 104 }),
          col('createTime', { width: 140 }),
        ]}
        header={
          may('product-category:create') ? (
            <Button type="primary" icon={<PlusOutlined />} onClick={() => setEditing('new')}>
              {t('category.create')}
            </Button>
          ) : null
        }
        actions={(row) => [
          { key: 'edit', label: t('list.edit'), can: row.can.edit, onClick: () => setEditing(row) },
          {
            key: 'remove',
            label: t('list.remove'),
            danger: true,
            can: row.can.delete,
            onClick: async () => {
              if (await confirm({ title: t('category.removeAsk'), content: row.name, danger: true })) remove.mutate({ id: row.id, version: row.version })
            },
          },
        ]}
        empty={{ title: t('category.empty') }}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <div className={styles.cardText}>
                <strong>{row.name}</strong>
                <span>{t(`enums.source.${row.source}`)}</span>
              </div>
              {actions}
            </div>
            <div className={styles.cardFacts}>
              <span>
                {t('fields.productCount')} <b>{row.productCount}</b>
              </span>
              <span>
                {t('fields.sort')} <b>{row.sort}</b>
              </span>
            </div>
          </>
        )}
      />
      {editing ? <CategoryDialog row={editing === 'new' ? null : editing} onClose={() => setEditing(null)} /> : null}
    </>
  )
}

function CategoryDialog({ row, onClose }: { row: CategoryRow | null; onClose: () => void }) {
  const { t } = useTranslation('products')
  const form = { ns: 'products', title: t(row ? 'category.edit' : 'category.create'), onClose, width: 440 }
  const fields = (
    <>
      <TextField name="name" label={t('category.name')} count wide />
      <NumberField name="sort" min={0} max={9999} />
    </>
  )
  return row ? (
    <FormDialog
      {...form}
      save={products.editCategory}
      success="products:success.editCategory"
      initial={{ id: row.id, name: row.name, sort: row.sort, version: row.version }}
    >
      {fields}
    </FormDialog>
  ) : (
    <FormDialog {...form} save={products.createCategory} success="products:success.createCategory" initial={{ sort: 0 }}>
      {fields}
    </FormDialog>
  )
}
