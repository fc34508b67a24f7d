import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { FormPage, Section } from '../../../web/FormPage.tsx'
import { Fixed, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { devices } from '../contract.ts'
import { LicenceSection, PlaceSection, SaleSection, TypeFields } from './DeviceFields.tsx'

export function DeviceEdit() {
  const { t } = useTranslation(['devices', 'web'])
  const id = Number(useParams().id ?? 0)
  const loaded = useRead(devices.detail, { id }, { inline: true })
  const device = loaded.data
  return (
    <FormPage
      title={t('form.edit')}
      subtitle={device ? `${device.rtuNumber} ${device.nickname}` : null}
      tab={device?.rtuNumber ?? ''}
      ns="devices"
      save={devices.update}
      loaded={loaded}
      success="devices:success.update"
      initial={device ? pickFor(devices.update.input, device) : {}}
      back="/device/device-list"
    >
      <Section title={t('form.basic')} purpose={t('form.basicPurpose')}>
        <Fixed label={t('fields.rtuNumber')}>
          {device?.rtuNumber} <LockOutlined />
        </Fixed>
        <TextField name="nickname" count />
        <TypeFields disabled={(device?.lanes ?? 0) > 0} />
        <TextField name="boardNo" />
        <TextField name="card" />
      </Section>
      <PlaceSection />
      <LicenceSection />
      <SaleSection />
    </FormPage>
  )
}
