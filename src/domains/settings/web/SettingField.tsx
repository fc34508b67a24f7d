import { Checkbox, Input, InputNumber, Switch, TimePicker } from 'antd'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { MoneyInput } from '../../../web/form/MoneyInput.tsx'
import { Upload } from '../../../web/Upload.tsx'
import { Select } from '../../../web/ui/select.tsx'
import type { Channels, Form, Window } from '../kinds.ts'
import styles from './settings.module.css'
import { useWords } from './useWords.ts'

type Props = {
  label: string
  form: Form
  value: unknown
  wrong: boolean
  onChange: (value: unknown) => void
}

/** The control of a setting by its kind; the registry's shape judges what comes out. */
export function SettingField({ label, form, value, wrong, onChange }: Props) {
  const { t } = useTranslation('settings')
  const { text } = useWords()
  const status = wrong ? { status: 'error' as const } : {}
  switch (form.kind) {
    case 'bool':
      return <Switch aria-label={label} checked={value === true} onChange={onChange} />
    case 'choice':
      return (
        <Select
          aria-label={label}
          className={styles.control ?? ''}
          value={value as string}
          options={form.options.map((option) => ({
            value: option.value,
            label: text(option.text),
          }))}
          onChange={onChange}
        />
      )
    case 'int':
      return form.unit === 'fen' ? (
        <MoneyInput aria-label={label} value={value as number} onChange={onChange} />
      ) : (
        <InputNumber
          {...status}
          aria-label={label}
          className={styles.control ?? ''}
          precision={0}
          value={value as number}
          suffix={t(`unit.${form.unit}`)}
          onChange={onChange}
        />
      )
    case 'window':
      return <WindowField label={label} value={value as Window} onChange={onChange} />
    case 'image':
      return <Upload value={value as string} onChange={onChange} />
    case 'channels':
      return <ChannelsField value={value as Channels} onChange={onChange} />
    case 'text':
      return (
        <Input
          {...status}
          aria-label={label}
          className={styles.control ?? ''}
          maxLength={form.max}
          value={value as string}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}

function WindowField({
  label,
  value,
  onChange,
}: {
  label: string
  value: Window
  onChange: (value: unknown) => void
}) {
  const part = (key: 'from' | 'to') => (
    <TimePicker
      aria-label={label}
      className={styles.clock ?? ''}
      format="HH:mm"
      allowClear={false}
      needConfirm={false}
      value={dayjs(`2000-01-01T${value[key]}`)}
      onChange={(time) => time && onChange({ ...value, [key]: time.format('HH:mm') })}
    />
  )
  return (
    <span className={styles.window}>
      {part('from')} – {part('to')}
    </span>
  )
}

function ChannelsField({
  value,
  onChange,
}: {
  value: Channels
  onChange: (value: unknown) => void
}) {
  const { t } = useTranslation('settings')
  return (
    <span className={styles.channels}>
      {(['message', 'wechat'] as const).map((key) => (
        <Checkbox
          key={key}
          checked={value[key]}
          onChange={(event) => onChange({ ...value, [key]: event.target.checked })}
        >
          {t(`channel.${key}`)}
        </Checkbox>
      ))}
      {(['sms', 'email', 'webhook'] as const).map((key) => (
        <Input
          key={key}
          aria-label={t(`channel.${key}`)}
          placeholder={t(`channel.${key}`)}
          value={value[key]}
          onChange={(event) => onChange({ ...value, [key]: event.target.value })}
        />
      ))}
    </span>
  )
}
