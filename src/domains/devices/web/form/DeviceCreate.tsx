import ImportOutlined from '@ant-design/icons/es/icons/ImportOutlined'
import { Button, Flex, Form, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead } from '../../../../web/api.ts'
import { FormPage, Section } from '../../../../web/FormPage.tsx'
import { Field, Note, NumberField, SwitchField, TextField } from '../../../../web/form/fields.tsx'
import { useMay, useUser } from '../../../../web/session.ts'
import { PageHead, Sheet } from '../../../../web/ui/Sheet.tsx'
import { Lead } from '../../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../../accounts/web/pickers.tsx'
import { ImportDialog } from '../../../jobs/web/pickers.ts'
import { devices } from '../../contract.ts'
import { BoardNumber } from './BoardNumber.tsx'
import { LicenceSection, PlaceSection, SaleSection, TypeFields } from './DeviceFields.tsx'
import { type Secret, Secrets } from './Secrets.tsx'

const start = { kind: 'GENERAL', dropSensor: true, autoRefund: true, businessHours: [] }
type Mode = 'single' | 'batch' | 'import'

/**
 * One machine, a batch with following numbers, or a file; afterwards secrets are shown this once,
 * and boards can be activated.
 */
export function DeviceCreate() {
  const { t } = useTranslation(['devices', 'web'])
  const { orgId } = useUser()
  const [mode, setMode] = useState<Mode>('single')
  const may = useMay()
  const [created, setCreated] = useState<readonly Secret[] | null>(null)
  if (created) return <Secrets created={created} onAgain={() => setCreated(null)} />
  const shared = { title: t('form.create'), ns: 'devices', back: '/device/device-list' } as const
  const owner = (
    <Field name="orgId">
      <OwnerSelect />
    </Field>
  )
  const same = (
    <>
      <PlaceSection />
      <LicenceSection />
      <SaleSection />
    </>
  )
  const modes: readonly Mode[] = [
    'single',
    'batch',
    ...(may('device:import') ? ['import' as const] : []),
  ]
  return (
    <Flex vertical flex="1 0 auto" gap={12}>
      <Segmented
        style={{ alignSelf: 'flex-start' }}
        value={mode}
        onChange={setMode}
        options={modes.map((value) => ({ value, label: t(`form.${value}`) }))}
      />
      {mode === 'import' ? (
        <DeviceImport />
      ) : mode === 'single' ? (
        <FormPage
          key="single"
          {...shared}
          save={devices.create}
          initial={{ ...start, orgId }}
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
          {same}
        </FormPage>
      ) : (
        <FormPage
          key="batch"
          {...shared}
          save={devices.createBatch}
          initial={{ ...start, orgId, count: 10, skipExisting: false }}
          onSaved={(answer) => setCreated(answer.created)}
        >
          <BatchNumbers />
          <Section title={t('form.shared')} purpose={t('form.sharedPurpose')}>
            <TextField name="namePrefix" />
            {owner}
            <TypeFields />
          </Section>
          {same}
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

/** First number and count, with what the batch would take before anything is saved. */
function BatchNumbers() {
  const { t } = useTranslation('devices')
  const form = Form.useFormInstance()
  const start = Form.useWatch('start', form) as string | undefined
  const count = Form.useWatch('count', form) as number | undefined
  const skipExisting = Form.useWatch('skipExisting', form) === true
  const asked = devices.previewBatch.input.safeParse({ start, count, skipExisting })
  const preview = useRead(devices.previewBatch, asked.data ?? { start: 'HD0001', count: 1 }, {
    enabled: asked.success,
    inline: true,
    keep: true,
  })
  const failed = asked.success ? preview.error : null
  const found = asked.success && !failed ? preview.data : undefined
  const n = found?.conflicts.length ?? 0
  const list = found?.conflicts.slice(0, 5).join(' ')
  return (
    <Section title={t('form.numbers')} purpose={t('form.numbersPurpose')}>
      <TextField name="start" placeholder="HD000098" />
      <NumberField name="count" />
      <SwitchField name="skipExisting" />
      {failed ? <Note type="warning">{failed.message}</Note> : null}
      {found ? (
        <Note type={n > 0 && !skipExisting ? 'warning' : 'info'}>
          {t('form.preview', { first: found.first, last: found.last, n: found.numbers.length })}
          {n > 0 ? (
            <>
              <br />
              {t(skipExisting ? 'form.skipped' : 'form.conflicts', { n, list })}
            </>
          ) : null}
        </Note>
      ) : null}
    </Section>
  )
}

/** Machines from a spreadsheet; what comes of it is shown by the import itself. */
function DeviceImport() {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  return (
    <Sheet label={t('form.importTitle')}>
      <PageHead title={t('form.importTitle')} />
      <Lead>{t('form.importPurpose')}</Lead>
      <Flex gap={8}>
        <Button type="primary" icon={<ImportOutlined />} onClick={() => setOpen(true)}>
          {t('form.importOpen')}
        </Button>
        <Button onClick={() => navigate('/device/device-list')}>{t('result.open')}</Button>
      </Flex>
      {open ? (
        <ImportDialog
          kind="devices"
          title={t('form.importTitle')}
          invalidates={['/api/devices', '/api/main-boards', '/api/device-assignments']}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </Sheet>
  )
}
