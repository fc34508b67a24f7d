import { useTranslation } from 'react-i18next'
import { Field, Fixed, TextField } from '../../../web/form/fields.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import type { DeviceTagRow } from '../contract.ts'
import { ToneField } from './ToneField.tsx'

/** The organisation is chosen once. */
export function DeviceTagFields({ row }: { row: DeviceTagRow | undefined }) {
  const { t } = useTranslation('deviceTags')
  return (
    <>
      <TextField name="name" count />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed>
      ) : (
        <Field name="orgId">
          <OwnerSelect />
        </Field>
      )}
      <ToneField />
    </>
  )
}
