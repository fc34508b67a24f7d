import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, MoneyField, Note } from '../../../web/form/fields.tsx'
import type { Selection } from '../../../web/list/types.ts'
import { type ProductRow, products } from '../contract.ts'
import { changeable } from './changeable.ts'
import { CategorySelect } from './pickers.tsx'

export type Many = Selection<ProductRow> & { readonly what: 'categoryId' | 'retailPrice' }

/** One category, or one usual price, for the goods that were chosen. */
export function ProductBatch({ what, rows, clear, onClose }: Many & { onClose: () => void }) {
  const { t } = useTranslation('products')
  const items = changeable(rows, 'edit')
  const left = rows.length - items.length
  return (
    <FormDialog
      ns="products"
      title={t(what === 'categoryId' ? 'setCategory' : 'setPrice')}
      save={products.batch}
      initial={{ items }}
      success="web:success.set"
      claims={{ 'products.manyBelowCost': 'retailPrice' }}
      onSaved={() => {
        clear()
        onClose()
      }}
      onClose={onClose}
    >
      {left ? <Note type="warning">{t('skipped', { n: left })}</Note> : null}
      {what === 'categoryId' ? (
        <Field name="categoryId">
          <CategorySelect />
        </Field>
      ) : (
        <MoneyField name="retailPrice" hint={t('setPriceHint')} />
      )}
    </FormDialog>
  )
}
