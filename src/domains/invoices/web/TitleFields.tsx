import { useTranslation } from 'react-i18next'
import { Field, Fixed, SwitchField, TextField } from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import type { TitleRow } from '../contract.ts'

/** The organisation is chosen once. */
export function TitleFields({ row }: { row: TitleRow | undefined }) {
  const { t } = useTranslation('invoices')
  return (
    <>
      <TextField name="title" />
      <TextField name="taxNo" />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <TextField name="email" />
      <TextField name="address" />
      <TextField name="phone" />
      <TextField name="bank" />
      <TextField name="bankAccount" />
      <SwitchField name="isDefault" />
    </>
  )
}
