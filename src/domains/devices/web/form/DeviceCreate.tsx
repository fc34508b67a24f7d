import { Flex, Form, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormPage, Section } from '../../../../web/FormPage.tsx'
import { Field, TextField } from '../../../../web/form/fields.tsx'
import { useMay, useUser } from '../../../../web/session.ts'
import { OwnerSelect } from '../../../accounts/web/pickers.tsx'
import { devices } from '../../contract.ts'
import { BatchNumbers } from './BatchNumbers.tsx'
import { BoardNumber } from './BoardNumber.tsx'
import { LicenceSection, PlaceSection, SaleSection, TypeFields } from './DeviceFields.tsx'
import { DeviceImport } from './DeviceImport.tsx'
import { type Secret, Secrets } from './Secrets.tsx'

const start = { kind: 'GENERAL', dropSensor: true, autoRefund: true, businessHours: [] }

/**
 * One machine, a batch with following numbers, or a file; afterwards secrets are shown this once,
 * and boards can be activated.
 */
export function DeviceCreate() {
  const { t } = useTranslation(['devices', 'web'])
  const user = useUser()
  const [mode, setMode] = useState<'single' | 'batch' | 'import'>('single')
  const may = useMay()
  const [created, setCreated] = useState<readonly Secret[] | null>(null)
  if (created) return <Secrets created={created} onAgain={() => setCreated(null)} />
  const shared = { title: t('form.create'), ns: 'devices', back: '/device/device-list' } as const
  const owner = (
    <Field name="orgId">
      <OwnerSelect />
    </Field>
  )
  return (
    <Flex vertical flex="1 0 auto" gap={12}>
      <Segmented
        style={{ alignSelf: 'flex-start' }}
        value={mode}
        onChange={setMode}
        options={[
          { value: 'single' as const, label: t('form.single') },
          { value: 'batch' as const, label: t('form.batch') },
          ...(may('device:import') ? [{ value: 'import' as const, label: t('form.import') }] : []),
        ]}
      />
      {mode === 'import' ? (
        <DeviceImport />
      ) : mode === 'single' ? (
        <FormPage
          key="single"
          {...shared}
          save={devices.create}
          success="devices:success.create"
          initial={{ ...start, orgId: user.orgId }}
          onSaved={(answer) => setCreated([answer])}
        >
          <Section title={t('form.basic')} purpose={t('form.basicPurpose')}>
            <TextField name="rtuNumber" placeholder="HD000001" />
            <TextField name="nickname" count />
            <TypeFields />
            <FreeBoard />
            <TextField name="card" />
            {owner}
          </Section>
          <PlaceSection />
          <LicenceSection />
          <SaleSection />
        </FormPage>
      ) : (
        <FormPage
          key="batch"
          {...shared}
          save={devices.createBatch}
          success="devices:success.createBatch"
          initial={{ ...start, orgId: user.orgId, count: 10, skipExisting: false }}
          onSaved={(answer) => setCreated(answer.created)}
        >
          <BatchNumbers />
          <Section title={t('form.shared')} purpose={t('form.sharedPurpose')}>
            <TextField name="namePrefix" />
            {owner}
            <TypeFields />
          </Section>
          <PlaceSection />
          <LicenceSection />
          <SaleSection />
        </FormPage>
      )}
    </Flex>
  )
}

/** Boards that are free for the owner chosen above. */
function FreeBoard() {
  const orgId = Form.useWatch('orgId') as number | undefined
  return (
    <Field name="boardNo">
      <BoardNumber orgId={orgId} />
    </Field>
  )
}
