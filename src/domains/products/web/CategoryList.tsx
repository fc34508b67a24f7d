import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { NumberField, TextField } from '../../../web/form/fields.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { OrderHandle } from '../../../web/list/OrderHandle.tsx'
import { useMay } from '../../../web/session.ts'
import { CategoryRow, products } from '../contract.ts'

export function CategoryList() {
  const { t } = useTranslation('products')
  const col = useCols(CategoryRow, 'products')
  const may = useMay()
  const productsOf = (row: CategoryRow) =>
    row.productCount > 0 && may('product:read')
      ? `/product/product-manage?categoryId=${row.id}`
      : undefined
  const move = useWrite(products.moveCategory, { success: 'web:success.set' })
  // in any other order nobody can say where one belongs
  const placed = (useSearchParams()[0].get('sort') ?? 'sort') === 'sort'
  return (
    <ListPage
      ns="products"
      texts="category"
      endpoint={products.categories}
      live="products"
      records={{
        create: products.createCategory,
        update: products.editCategory,
        remove: products.removeCategory,
        fields: CategoryFields,
        width: 440,
        whyNotUpdate: (row) => (row.source === 'INHERITED' ? t('category.inherited') : undefined),
        whyNotRemove: (row) => (row.source === 'INHERITED' ? t('category.inherited') : undefined),
      }}
      filters={[{ key: 'keyword', label: t('category.name') }]}
      columns={[
        col('id', { title: 'id', width: 72, render: (id: number) => id }),
        col('name', { title: t('category.name') }),
        col('productCount', { link: productsOf }),
        col('sort', {
          fit: (sort) => `☰  ${sort}`,
          render: (sort: number, row) =>
            placed && row.can.edit ? (
              <OrderHandle
                label={t('category.place', { name: row.name })}
                onDrop={(beside, side) =>
                  move.mutate({
                    id: row.id,
                    version: row.version,
                    besideId: Number(beside),
                    side,
                  })
                }
              >
                {sort}
              </OrderHandle>
            ) : (
              sort
            ),
        }),
        col('source'),
        col('createTime'),
      ]}
      card={['source', 'productCount', 'sort']}
    />
  )
}

function CategoryFields() {
  const { t } = useTranslation('products')
  return (
    <>
      <TextField name="name" label={t('category.name')} count wide />
      <NumberField name="sort" min={0} max={9999} />
    </>
  )
}
