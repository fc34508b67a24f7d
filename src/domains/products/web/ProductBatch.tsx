import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, MoneyField, Note, SwitchField } from '../../../web/form/fields.tsx'
import type { Values } from '../../../web/form/values.ts'
import type { Selection } from '../../../web/list/types.ts'
import { useMay } from '../../../web/session.ts'
import { type ProductRow, products } from '../contract.ts'
import { changeable } from './changeable.ts'
import { CategorySelect } from './pickers.tsx'

type Asked = z.input<typeof products.batch.input>
export type Many = Selection<ProductRow> & { readonly what: 'categoryId' | 'retailPrice' }

/** One category, or one usual price, for the goods that were chosen. */
export function ProductBatch({ what, rows, clear, onClose }: Many & { onClose: () => void }) {
  const { t } = useTranslation('products')
  const may = useMay()
  const confirm = useConfirm()
  const trial = useWrite(products.batch)
  const items = changeable(rows, 'edit')
  const left = rows.length - items.length
  /** Which lanes follow is said before they do. */
  const before = async (values: Values) => {
    if (!values.alsoLanes) return true
    const input = { ...(values as Asked), dryRun: true }
    const { lanes, ...found } = await trial.mutateAsync(input)
    const title = t(lanes ? 'lanesFollow' : 'noneFollows', { lanes, n: found.devices })
    const content = lanes ? t('lanesMove', found) : ''
    return confirm({ title, content, ok: t('setPrice') })
  }
  return (
    <FormDialog
      ns="products"
      title={t(what === 'categoryId' ? 'setCategory' : 'setPrice')}
      save={products.batch}
      initial={{ items, alsoLanes: false }}
      {...(what === 'retailPrice' ? { before } : {})}
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
        <>
          <MoneyField name="retailPrice" hint={t('setPriceHint')} />
          {may('lane:price') ? <SwitchField name="alsoLanes" /> : null}
        </>
      )}
    </FormDialog>
  )
}
