import { useTranslation } from 'react-i18next'
import {
  DayField,
  Field,
  Fixed,
  NumberField,
  SelectField,
  TextField,
} from '../../../web/form/fields.tsx'
import { OptionSelect } from '../../../web/OptionSelect.tsx'
import { adMaterials, type CreativeRow, type MaterialRow } from '../contract.ts'

/** File and owner are chosen once. */
export function MaterialFields({ row }: { row: MaterialRow | undefined }) {
  const { t } = useTranslation('adMaterials')
  return (
    <>
      <TextField name="name" count />
      {row ? <Fixed label={t('fields.orgId')}>{row.orgName}</Fixed> : null}
      <SelectField name="tags" multiple />
      <TextField name="licenceNo" />
      <DayField name="validUntil" />
    </>
  )
}

/** A material with its seconds and words; of a film they are its own. */
export function CreativeFields({ row }: { row: CreativeRow | undefined }) {
  const { t } = useTranslation('adMaterials')
  return (
    <>
      {row ? (
        <Fixed label={t('fields.materialName')}>{row.materialName}</Fixed>
      ) : (
        <Field name="materialId">
          <OptionSelect
            from={adMaterials.options}
            input={{}}
            text={(one) => `${one.name} · ${one.orgName}`}
          />
        </Field>
      )}
      <TextField name="title" count />
      <NumberField name="seconds" min={1} max={300} hint={t('filmSeconds')} />
      <TextField name="caption" count />
      <TextField name="qrUrl" wide placeholder="https://" />
    </>
  )
}
