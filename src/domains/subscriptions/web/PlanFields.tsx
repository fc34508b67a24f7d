import { Form } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Field, Note, RadioField, SelectField, SwitchField } from '../../../web/form/fields.tsx'
import { registerLocale } from '../../../web/i18n.ts'
import { useMay, useUser } from '../../../web/session.ts'
import { Select } from '../../../web/ui/select.tsx'
import { accounts } from '../../accounts/contract.ts'
import { subscriptions } from '../contract.ts'
import { locale } from '../locale.ts'
import { everies, periods, statementPeriod } from '../rules.ts'

// lists of other domains open the dialogs without having loaded these texts
registerLocale('subscriptions', locale)

const numbers = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => index + first)
export const timeOf = (hour: number) => `${String(hour).padStart(2, '0')}:00`

type Known = readonly { readonly id: number; readonly name: string }[]
/** When it comes, of which time, how and to whom; what does not fit is not asked. */
export function PlanFields({ ranged, people }: { ranged: boolean; people?: Known }) {
  const { t } = useTranslation('subscriptions')
  const form = Form.useFormInstance()
  const every = (Form.useWatch('every') as (typeof everies)[number] | undefined) ?? 'DAY'
  const byMail = Form.useWatch('byMail') === true
  const may = useMay()
  const before = useRef(every)
  const weekdays = t('weekdays').split(',')
  useEffect(() => {
    if (before.current === every) return
    before.current = every
    // the day of a month is no day of a week, and the time that is over is another
    form.setFieldsValue({ onDay: 1, ...(ranged ? { period: statementPeriod[every] } : {}) })
  }, [every, ranged, form])
  return (
    <>
      <RadioField
        name="every"
        options={everies.map((value) => ({ value, label: t(`enums.every.${value}`) }))}
      />
      {every === 'DAY' ? null : (
        <SelectField
          name="onDay"
          options={
            every === 'WEEK'
              ? numbers(7, 1).map((value) => ({
                  value,
                  label: t('weekday', { weekday: weekdays[value - 1] ?? '' }),
                }))
              : numbers(28, 1).map((value) => ({ value, label: t('dayOfMonth', { n: value }) }))
          }
        />
      )}
      <SelectField
        name="atHour"
        options={numbers(24, 0).map((value) => ({ value, label: timeOf(value) }))}
      />
      {ranged ? (
        <SelectField
          name="period"
          options={periods.map((value) => ({ value, label: t(`enums.period.${value}`) }))}
        />
      ) : null}
      {people && may('user:lookup') ? (
        <Field name="userIds" wide>
          <Colleagues known={people} />
        </Field>
      ) : null}
      <SwitchField name="inApp" />
      <SwitchField name="byMail" />
      {byMail ? <AddressNote /> : null}
    </>
  )
}

function AddressNote() {
  const { t } = useTranslation('subscriptions')
  const { data } = useRead(subscriptions.address, {}, { inline: true })
  if (!data || (data.address && data.confirmed)) return null
  return <Note type="warning">{t('noAddress')}</Note>
}

type ColleaguesProps = {
  id?: string
  value?: number[]
  onChange?: (ids: number[]) => void
  known: Known
}
/** People of the own organisation; `known` are those already chosen, whom the search may not show. */
function Colleagues({ id, value = [], onChange, known }: ColleaguesProps) {
  const { t } = useTranslation('web')
  const user = useUser()
  const [typed, setTyped] = useState('')
  const [met, setMet] = useState(new Map(known.map((person) => [person.id, person.name])))
  const keyword = typed.trim().slice(0, 60)
  const read = useRead(
    accounts.userOptions,
    { pageSize: 50, orgId: user.orgId, ...(keyword ? { keyword } : {}) },
    { keep: true },
  )
  const found = (read.data?.list ?? [])
    .filter((one) => one.id !== user.id)
    .map((one) => ({ value: one.id, label: one.name || one.userName }))
  const chosen = value
    .filter((one) => !found.some((option) => option.value === one))
    .map((one) => ({ value: one, label: met.get(one) ?? String(one) }))
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      mode="multiple"
      allowClear
      value={value}
      loading={read.isFetching}
      placeholder={t('form.choose')}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      options={keyword ? found : [...chosen, ...found]}
      labelRender={({ value: one, label }) => label ?? met.get(Number(one)) ?? String(one)}
      onChange={(next: number[]) => {
        setMet(new Map([...met, ...found.map((option) => [option.value, option.label] as const)]))
        onChange?.(next)
      }}
    />
  )
}
