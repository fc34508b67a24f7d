import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import {
  DayField,
  Field,
  Fixed,
  ImageField,
  RadioField,
  SwitchField,
  TextField,
} from '../../../web/form/fields.tsx'
import { OptionSelect } from '../../../web/OptionSelect.tsx'
import { accounts } from '../../accounts/contract.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import type { SupplierRow } from '../contract.ts'

/** The organisation is chosen once. */
export function SupplierFields({ row }: { row: SupplierRow | undefined }) {
  const { t } = useTranslation('suppliers')
  const drugs = Form.useWatch('suppliesDrugs') === true
  return (
    <>
      <TextField name="name" count />
      <TextField name="creditCode" />
      <TextField name="contact" />
      <TextField name="phone" />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <Field name="supplierOrgId" hint={t('orgHint')}>
        <OptionSelect
          from={accounts.organisationOptions}
          filter={({ kind }) => kind === 'SUPPLIER'}
          text={({ name }) => name}
        />
      </Field>
      <SwitchField name="suppliesDrugs" />
      <DayField name="licenceUntil" required={drugs} />
      <ImageField name="licence" required={drugs} />
      <RadioField name="status" />
    </>
  )
}
