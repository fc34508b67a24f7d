import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useParams } from 'react-router'
import { useRead } from '../../../../web/api.ts'
import { FormPage, Section } from '../../../../web/FormPage.tsx'
import { Field, Fixed, TextField } from '../../../../web/form/fields.tsx'
import { pickFor } from '../../../../web/form/values.ts'
import { closeTab, useTabPath } from '../../../../web/shell/tabs.ts'
import { StoreSelect } from '../../../stores/web/pickers.tsx'
import { devices } from '../../contract.ts'
import { BoardNumber } from './BoardNumber.tsx'
import { LicenceSection, PlaceSection, SaleSection, TypeFields } from './DeviceFields.tsx'
import { NewSecret } from './Secrets.tsx'

export function DeviceEdit() {
  const { t } = useTranslation(['devices', 'web'])
  const id = Number(useParams().id ?? 0)
  const loaded = useRead(devices.detail, { id }, { inline: true })
  const device = loaded.data
  const navigate = useNavigate()
  const path = useTabPath()
  const [secret, setSecret] = useState<string | null>(null)
  const leave = () => {
    closeTab(path)
    navigate('/device/device-list')
  }
  if (secret && device)
    return <NewSecret rtuNumber={device.rtuNumber} secret={secret} onDone={leave} />
  return (
    <FormPage
      title={t('form.edit')}
      subtitle={device ? `${device.rtuNumber} ${device.nickname}` : null}
      tab={device?.rtuNumber ?? ''}
      ns="devices"
      save={devices.update}
      loaded={loaded}
      success="web:success.edited"
      initial={device ? pickFor(devices.update.input, device) : {}}
      back="/device/device-list"
      // another board has a secret of its own, and this is the only time it is told
      onSaved={(answer) => (answer.secret ? setSecret(answer.secret) : leave())}
    >
      <Section title={t('form.basic')} purpose={t('form.basicPurpose')}>
        <Fixed label={t('fields.rtuNumber')}>
          {device?.rtuNumber} <LockOutlined />
        </Fixed>
        <TextField name="nickname" count />
        <TypeFields disabled={(device?.lanes ?? 0) > 0} />
        <Field name="boardNo" hint={t('form.boardHint')}>
          <BoardNumber orgId={device?.orgId} />
        </Field>
        <TextField name="card" />
        <Field name="storeId">
          <StoreSelect orgId={device?.orgId ?? null} />
        </Field>
      </Section>
      <PlaceSection />
      <LicenceSection />
      <SaleSection orgHours={device?.orgHours} />
    </FormPage>
  )
}
