import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Flex, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { Field, Fixed, NumberField, SelectField, SwitchField } from '../../../web/form/fields.tsx'
import { type Config, timings } from '../contract.ts'
import styles from './settings.module.css'

export type SettingName = keyof Config
export const settingNames = [
  'tempMin',
  'tempMax',
  'humMin',
  'humMax',
  'limitPerOrder',
  'limitPerDay',
  'reportSeconds',
  'screenOffSeconds',
  'volume',
  'defog',
  'dropSensor',
  'autoRefund',
  'lighting',
] as const satisfies readonly SettingName[]

const numbers: Partial<Record<SettingName, { precision: number; unit: string }>> = {
  tempMin: { precision: 1, unit: '°C' },
  tempMax: { precision: 1, unit: '°C' },
  humMin: { precision: 1, unit: '%' },
  humMax: { precision: 1, unit: '%' },
  limitPerOrder: { precision: 0, unit: '' },
  limitPerDay: { precision: 0, unit: '' },
  volume: { precision: 0, unit: '' },
}

/**
 * One setting as a field; `at` is where it stands in the form (`config.` in the dialog for several
 * machines).
 */
export function SettingField({
  name,
  at = '',
  disabled = false,
}: {
  name: SettingName
  at?: string
  disabled?: boolean
}) {
  const { t } = useTranslation('deviceSettings')
  const label = t(`fields.${name}`)
  const own = { name: `${at}${name}`, label, disabled, required: true }
  const number = numbers[name]
  // a hint below would make the dialog jump when an error comes or goes
  if (number)
    return (
      <NumberField
        {...own}
        {...number}
        {...(name.startsWith('limit') ? { unit: t('noLimit') } : {})}
      />
    )
  if (name === 'lighting')
    return <Lighting at={`${at}lighting`} label={label} disabled={disabled} />
  if (name === 'reportSeconds' || name === 'screenOffSeconds')
    return <Timing {...own} never={name === 'screenOffSeconds'} />
  return <SwitchField {...own} required={false} />
}

export function useTiming(): (seconds: number) => string {
  const { t } = useTranslation('deviceSettings')
  return (seconds) => {
    if (seconds === 0) return t('never')
    if (seconds === 1800) return t('halfHour')
    if (seconds === 3600) return t('hour')
    return seconds % 60 === 0 ? t('minutes', { n: seconds / 60 }) : t('seconds', { n: seconds })
  }
}

/** The usual steps, and what is set now though it is none of them. */
function Timing({
  never,
  ...own
}: {
  name: string
  label: string
  disabled: boolean
  required: boolean
  never: boolean
}) {
  const word = useTiming()
  const now = Form.useWatch(own.name.split('.')) as number | undefined
  const steps = [...new Set<number>([...timings, ...(typeof now === 'number' ? [now] : [])])]
    .filter((n) => never || n > 0)
    .sort((a, b) => a - b)
  return <SelectField {...own} options={steps.map((value) => ({ value, label: word(value) }))} />
}

type Window = { from: string; to: string }
function Lighting({ at, label, disabled }: { at: string; label: string; disabled: boolean }) {
  const { t } = useTranslation('deviceSettings')
  const form = Form.useFormInstance()
  const path = at.split('.')
  const held = Form.useWatch(path, { form, preserve: true }) as Window[] | undefined
  const windows = held ?? []
  const put = (next: Window[]) => form.setFieldValue(path, next)
  return (
    <Fixed label={label} wide>
      <Flex vertical align="flex-start" gap={8}>
        {windows.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a window has no other name than its place
          <span key={index} className={styles.window}>
            <Field name={`${at}.${index}.from`} label={t('from')} required={false}>
              <Input type="time" disabled={disabled} />
            </Field>
            <Field name={`${at}.${index}.to`} label={t('to')} required={false}>
              <Input type="time" disabled={disabled} />
            </Field>
            <Button
              icon={<DeleteOutlined />}
              disabled={disabled}
              aria-label={t('removeWindow')}
              title={t('removeWindow')}
              onClick={() => put(windows.filter((_, other) => other !== index))}
            />
          </span>
        ))}
        {windows.length === 0 ? <span className="hd-none">{t('noWindow')}</span> : null}
        {windows.length < 6 ? (
          <Button
            type="dashed"
            icon={<PlusOutlined />}
            disabled={disabled}
            onClick={() => put([...windows, { from: '06:00', to: '23:00' }])}
          >
            {t('addWindow')}
          </Button>
        ) : null}
      </Flex>
    </Fixed>
  )
}
