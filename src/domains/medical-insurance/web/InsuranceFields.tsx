import { useTranslation } from 'react-i18next'
import {
  DayField,
  Field,
  Fixed,
  MoneyField,
  NumberField,
  SelectField,
  TextField,
} from '../../../web/form/fields.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import type { ItemRow } from '../contract.ts'

/** The product is chosen once. */
export function InsuranceFields({ row }: { row: ItemRow | undefined }) {
  const { t } = useTranslation('medicalInsurance')
  return (
    <>
      {row ? (
        <Fixed label={t('fields.productId')} wide>
          {row.productName} {row.model}
        </Fixed>
      ) : (
        <Field name="productId" wide>
          <ProductSelect input={{ source: 'OWN', drugs: true }} />
        </Field>
      )}
      <TextField name="insuranceCode" placeholder="XA01ABD075A002010100483" />
      <SelectField name="insuranceClass" hint={t('classHint')} />
      <MoneyField name="payPrice" />
      <NumberField name="selfRatio" precision={2} min={0} max={100} unit="%" />
      <DayField name="validFrom" />
      <DayField name="validUntil" />
    </>
  )
}
