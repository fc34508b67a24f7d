import { Input } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, dayMs, shanghaiDay } from '../../../shared/instants.ts'
import { parseYuan } from '../../../shared/money.ts'
import { DayRange } from '../../../web/list/days.tsx'
import type { PickerProps } from '../../../web/list/types.ts'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { orders } from '../contract.ts'

const nothing = {}
/** The longest range the contract takes. */
const mostDays = 366

/** The filter of the list as the address holds it. */
export const useOrderQuery = () => useListQuery(orders.list.input, nothing)

/** Days of ordering. Without a choice it shows what the server lists then: the last seven days. */
export function DaysFilter() {
  const { t } = useTranslation('orders')
  const { query, change } = useOrderQuery()
  const given = (key: 'from' | 'to') => (typeof query[key] === 'string' ? query[key] : null)
  const [from, to] = [given('from'), given('to')]
  const today = shanghaiDay(new Date())
  const last = (days: number) => [addDays(today, 1 - days), today] as const
  return (
    <DayRange
      style={{ width: '100%' }}
      allowClear={from !== null || to !== null}
      value={[from ?? addDays(to ?? today, -6), to ?? today]}
      aria-label={t('fields.range')}
      presets={[
        { label: t('days.today'), days: last(1) },
        { label: t('days.last7'), days: last(7) },
        { label: t('days.last30'), days: last(30) },
        { label: t('days.last90'), days: last(90) },
      ]}
      off={(day, start) =>
        day > today ||
        (start !== undefined && Math.abs(Date.parse(day) - Date.parse(start)) >= mostDays * dayMs)
      }
      onChange={([first, end]) => change({ from: first ?? undefined, to: end ?? undefined })}
    />
  )
}

const typed = (fen: unknown): string => (typeof fen === 'number' ? (fen / 100).toFixed(2) : '')

/**
 * Yuan in the field, fen in the address; counts on Enter or on leaving, and only when it is an
 * amount.
 */
export function AmountFilter({
  value,
  onChange,
  prefix,
  label,
}: Omit<PickerProps, 'placeholder'> & { label: string }) {
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
          {prefix} <Muted>¥</Muted>
        </>
      }
      value={text}
      inputMode="decimal"
      maxLength={12}
      aria-label={label}
      allowClear
      onChange={(event) => {
        setText(event.target.value)
        if (event.target.value === '' && value !== undefined) onChange(undefined)
      }}
      onPressEnter={commit}
      onBlur={commit}
    />
  )
}
