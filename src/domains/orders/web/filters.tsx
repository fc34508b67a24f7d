import { DatePicker, Input } from 'antd'
import dayjs from 'dayjs'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { parseYuan } from '../../../shared/money.ts'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { orders } from '../contract.ts'
import styles from './orders.module.css'

const nothing = {}
/** The longest range the contract takes. */
const mostDays = 366

/** The filter of the list as the address holds it. */
export const useOrderQuery = () => useListQuery(orders.list.input, nothing)

/** Days of ordering. Without a choice it shows what the server lists then: the last seven days. */
export function DaysFilter() {
  const { t } = useTranslation('orders')
  const { query, change } = useOrderQuery()
  const [from, to] = [typeof query.from === 'string' ? query.from : null, typeof query.to === 'string' ? query.to : null]
  const used = from !== null || to !== null
  const today = shanghaiDay(new Date())
  const last = (days: number) => [dayjs(addDays(today, 1 - days)), dayjs(today)] as [dayjs.Dayjs, dayjs.Dayjs]
  return (
    <DatePicker.RangePicker
      className={`${styles.days} ${used ? styles.used : ''}`}
      format="YYYY-MM-DD"
      allowClear={used}
      value={[dayjs(from ?? addDays(to ?? today, -6)), dayjs(to ?? today)]}
      aria-label={t('fields.range')}
      presets={[
        { label: t('days.today'), value: last(1) },
        { label: t('days.last7'), value: last(7) },
        { label: t('days.last30'), value: last(30) },
        { label: t('days.last90'), value: last(90) },
      ]}
      disabledDate={(day, info) => day.format('YYYY-MM-DD') > today || (info.from !== undefined && Math.abs(day.diff(info.from, 'day')) >= mostDays)}
      onChange={(range) => change({ from: range?.[0]?.format('YYYY-MM-DD'), to: range?.[1]?.format('YYYY-MM-DD') })}
    />
  )
}

const typed = (fen: unknown): string => (typeof fen === 'number' ? (fen / 100).toFixed(2) : '')

/** Yuan in the field, fen in the address; counts on Enter or on leaving, and only when it is an amount. */
export function AmountFilter({ value, onChange, prefix, label }: { value: unknown; onChange: (value: unknown) => void; prefix: ReactNode; label: string }) {
  const [text, setText] = useState(typed(value))
  useEffect(() => setText(typed(value)), [value])
  const commit = () => {
    const fen = text.trim() === '' ? undefined : parseYuan(text)
    if (fen === null) setText(typed(value))
    else if (fen !== value) onChange(fen)
  }
  return (
    <Input
      prefix={
        <>
          {prefix}
          <span className={styles.yuan}>¥</span>
        </>
      }
      value={text}
      inputMode="decimal"
      maxLength={12}
      aria-label={label}
      allowClear
      className={value === undefined ? '' : (styles.used ?? '')}
      onChange={(event) => {
        setText(event.target.value)
        if (event.target.value === '' && value !== undefined) onChange(undefined)
      }}
      onPressEnter={commit}
      onBlur={commit}
    />
  )
}
