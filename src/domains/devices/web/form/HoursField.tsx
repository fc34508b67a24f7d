import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Checkbox, Flex, Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { type BusinessWindow, windowsOfDay } from '../../../../shared/hours.ts'
import { Field } from '../../../../web/form/fields.tsx'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { InheritedHours } from '../detail/Hours.tsx'

const week = [1, 2, 3, 4, 5, 6, 7]
const bare = { minWidth: 0, margin: 0, padding: 0, border: 0 }

/** The week of a machine; what is wrong with one window or with all of them is said below. */
export function HoursField({ orgHours }: { orgHours?: { from: string; to: string } | undefined }) {
  const { t } = useTranslation('devices')
  return (
    <Field name="businessHours" wide required={false} hint={t('hours.hint')}>
      <Windows orgHours={orgHours} />
    </Field>
  )
}

type Props = {
  id?: string
  value?: readonly BusinessWindow[]
  onChange?: (next: BusinessWindow[]) => void
  onBlur?: () => void
  orgHours: { from: string; to: string } | undefined
}
function Windows({ id, value = [], onChange, onBlur, orgHours }: Props) {
  const { t } = useTranslation('devices')
  const phone = usePhone()
  const left = week.filter((day) => !value.some((window) => window.days.includes(day)))
  return (
    <Flex
      component="fieldset"
      id={id}
      vertical
      align="flex-start"
      gap={8}
      style={bare}
      onBlur={onBlur}
    >
      {value.map((_, index) => (
        <Flex
          component="fieldset"
          // biome-ignore lint/suspicious/noArrayIndexKey: a window has no other name than its place
          key={index}
          wrap
          align="center"
          gap="4px 16px"
          style={bare}
          aria-label={t('hours.window', { n: index + 1 })}
        >
          <Form.Item noStyle name={['businessHours', index, 'days']}>
            <Checkbox.Group
              style={{ columnGap: phone ? 0 : 6 }}
              aria-label={t('hours.choose')}
              options={week.map((day) => ({
                value: day,
                label: <span title={t(`hours.days.${day}`)}>{t(`hours.day.${day}`)}</span>,
              }))}
            />
          </Form.Item>
          <Flex component="span" align="center" gap={6}>
            <Form.Item noStyle name={['businessHours', index, 'from']}>
              <Input type="time" style={{ width: 136 }} aria-label={t('hours.from')} />
            </Form.Item>
            –
            <Form.Item noStyle name={['businessHours', index, 'to']}>
              <Input type="time" style={{ width: 136 }} aria-label={t('hours.until')} />
            </Form.Item>
            <Button
              icon={<DeleteOutlined />}
              aria-label={t('hours.remove')}
              title={t('hours.remove')}
              onClick={() => onChange?.(value.filter((_, other) => other !== index))}
            />
          </Flex>
        </Flex>
      ))}
      {value.length === 0 ? <InheritedHours hours={orgHours} /> : null}
      {value.length < 7 * windowsOfDay ? (
        <Button
          type="dashed"
          icon={<PlusOutlined />}
          onClick={() => onChange?.([...value, { days: left, from: '08:00', to: '22:00' }])}
        >
          {t('hours.add')}
        </Button>
      ) : null}
    </Flex>
  )
}
