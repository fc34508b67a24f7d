import { useTranslation } from 'react-i18next'
import { Field, Fixed, RadioField, TextField } from '../../../web/form/fields.tsx'
import { Chip } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { type DeviceTagRow, tones } from '../contract.ts'
import { toneOf } from './tones.ts'

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
      <RadioField
        name="tone"
        options={tones.map((tone) => ({
          value: tone,
          label: <Chip tone={toneOf[tone]}>{t(`enums.tone.${tone}`)}</Chip>,
        }))}
      />
    </>
  )
}
