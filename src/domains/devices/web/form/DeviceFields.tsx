import { Form } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../../../../web/FormPage.tsx'
import {
  DayField,
  Field,
  NumberField,
  RadioField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../../web/form/fields.tsx'
import { RegionSelect } from '../../../../web/RegionSelect.tsx'
import { Bad } from '../../../../web/ui/Text.tsx'
import { DeviceTypeSelect, type TypeOption } from '../../../device-types/web/pickers.tsx'
import { dispensingModes, licenceMatches } from '../../../drug-guard/rules.ts'
import { PlaceOnMap } from '../../../geo/web/pickers.tsx'
import { HoursField } from './HoursField.tsx'

/** A chosen type brings its purpose and drop detection. */
export function TypeFields({ disabled = false }: { disabled?: boolean }) {
  const { t } = useTranslation('devices')
  const form = Form.useFormInstance()
  const take = (option: TypeOption | undefined) => {
    if (option) form.setFieldsValue({ kind: option.kind, dropSensor: option.dropSensor })
  }
  return (
    <>
      <Field name="typeId" {...(disabled ? { hint: t('form.typeFixed') } : {})}>
        <DeviceTypeSelect disabled={disabled} onPick={take} />
      </Field>
      <SelectField name="kind" />
    </>
  )
}

export function PlaceSection() {
  const { t } = useTranslation('devices')
  return (
    <Section title={t('form.place')} purpose={t('form.placePurpose')}>
      <Field name="county">
        <RegionSelect />
      </Field>
      <TextField name="address" />
      <NumberField name="lng" precision={6} />
      <NumberField name="lat" precision={6} />
      <PlaceOnMap />
    </Section>
  )
}

export function SaleSection({ orgHours }: { orgHours?: { from: string; to: string } | undefined }) {
  const { t } = useTranslation('devices')
  return (
    <Section title={t('form.sale')} purpose={t('form.salePurpose')}>
      <SwitchField name="dropSensor" />
      <SwitchField name="autoRefund" />
      <SwitchField name="onlineMall" />
      <HoursField orgHours={orgHours} />
      <TextAreaField name="remark" />
    </Section>
  )
}

/** Only for drug machines. A licence for another place warns: saving pauses sales. */
export function LicenceSection() {
  const { t } = useTranslation('devices')
  const form = Form.useFormInstance()
  const kind = Form.useWatch('kind', { form, preserve: true }) as string | undefined
  const county = Form.useWatch('county', { form, preserve: true }) as string | undefined
  const address = Form.useWatch('licenceAddress', { form, preserve: true }) as string | undefined
  const [names, setNames] = useState<string[]>([])
  useEffect(
    () =>
      void import('../../../../shared/regions.ts').then(({ regionPath }) =>
        setNames(regionPath(county ?? '').map((region) => region.name)),
      ),
    [county],
  )
  if (kind !== 'DRUG') return null
  const elsewhere =
    address && names.length === 3 && !licenceMatches({ kind, licenceAddress: address }, names)
  return (
    <Section title={t('form.licence')} purpose={t('form.licencePurpose')}>
      <RadioField
        name="dispensingMode"
        required
        options={dispensingModes.map((mode) => ({ value: mode, label: t(`mode.${mode}`) }))}
      />
      <TextField name="licenceNo" required />
      <TextField
        name="licenceAddress"
        required
        {...(elsewhere ? { hint: <Bad>{t('form.licenceElsewhere')}</Bad> } : {})}
      />
      <DayField name="licenceUntil" />
    </Section>
  )
}
