import { useTranslation } from 'react-i18next'
import {
  DayField,
  Field,
  Fixed,
  ImageField,
  MoneyField,
  NumberField,
  TextField,
} from '../../../web/form/fields.tsx'
import { useMay } from '../../../web/session.ts'
import { ProductSelect } from '../../products/web/pickers.tsx'
import { SupplierSelect } from '../../suppliers/web/pickers.tsx'
import type { BatchRow } from '../contract.ts'

/** Product and supplier are chosen once. */
export function BatchFields({ row }: { row: BatchRow | undefined }) {
  const { t } = useTranslation('batches')
  const may = useMay()
  return (
    <>
      {row ? (
        <>
          <Fixed label={t('fields.productId')}>
            {row.productName} {row.model}
          </Fixed>
          <Fixed label={t('fields.supplierId')}>{row.supplierName}</Fixed>
        </>
      ) : (
        <>
          <Field name="productId">
            <ProductSelect />
          </Field>
          <Field name="supplierId">
            <SupplierSelect />
          </Field>
        </>
      )}
      <TextField name="batchNo" />
      <NumberField name="receivedQty" min={0} hint={t('receivedHint')} />
      <DayField name="producedOn" />
      <DayField name="expiresOn" />
      {may('product:cost') || !row ? <MoneyField name="costPrice" /> : null}
      <ImageField name="report" />
    </>
  )
}
