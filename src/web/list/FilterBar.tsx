import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import { Button, Input, Popover, Select } from 'antd'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { onTouch } from '../deferred.tsx'
import { fieldInfo } from '../schema.ts'
import type { DayProps, DayRangeProps } from './DayFields.tsx'
import styles from './List.module.css'
import { activeFilters, type Query } from './listUrl.ts'
import type { Filter, PickerProps } from './types.ts'

type Props = {
  ns: string
  input: z.ZodObject
  filters: readonly Filter[]
  query: Query
  fixed: Query
  onChange: (part: Query) => void
  onReset: () => void
  tools: ReactNode
}
const inRow = 5
/** Date fields are the heaviest part of antd: they load when somebody reaches for one. */
const DayRange = onTouch(
  () => import('./DayFields.tsx').then((found) => ({ default: found.DayRange as never })),
  'RangePicker',
) as unknown as ComponentType<DayRangeProps>
const Day = onTouch(() => import('./DayFields.tsx').then((found) => ({ default: found.Day as never })), 'DatePicker') as unknown as ComponentType<DayProps>

export function FilterBar({ ns, input, filters, query, fixed, onChange, onReset, tools }: Props) {
  const { t } = useTranslation('web')
  const used = activeFilters(input, query, fixed)
  const isUsed = (filter: Filter) => (filter.key === 'range' ? used.includes('from') || used.includes('to') : used.includes(filter.key))
  const plain = filters.filter((filter) => !filter.more)
  const shown = plain.slice(0, inRow)
  const more = [...plain.slice(inRow), ...filters.filter((filter) => filter.more)]
  const field = (filter: Filter) => (
    <FilterField key={filter.key} ns={ns} input={input} filter={filter} query={query} used={isUsed(filter)} onChange={onChange} />
  )
  const usedBehind = more.filter(isUsed).length
  return (
    <div className={styles.filters} role="search">
      <div className={styles.fields}>
        {shown.map(field)}
        {more.length > 0 ? (
          <Popover trigger="click" placement="bottomLeft" content={<div className={styles.moreFields}>{more.map(field)}</div>}>
            <Button icon={<FilterOutlined />} className={usedBehind > 0 ? (styles.used ?? '') : ''}>
              {t('list.moreFilters')} <span className={styles.quiet}>{usedBehind > 0 ? usedBehind : more.length}</span>
            </Button>
          </Popover>
        ) : null}
        {used.length > 0 ? (
          <Button type="link" onClick={onReset}>
            {t('action.clear')}
          </Button>
        ) : null}
      </div>
      <div className={styles.tools}>{tools}</div>
    </div>
  )
}

type FieldProps = { ns: string; input: z.ZodObject; filter: Filter; query: Query; used: boolean; onChange: (part: Query) => void }

/** The label stands inside the field; a field in use is tinted. */
function FilterField({ ns, input, filter, query, used, onChange }: FieldProps) {
  const { t } = useTranslation([ns, 'web'])
  const { key } = filter
  const info = fieldInfo(input.shape[key] as z.ZodType | undefined)
  const label = filter.label ?? t(`${ns}:fields.${key}`)
  const value = query[key]
  const set = (next: unknown) => onChange({ [key]: next === '' || next === null ? undefined : next })
  const prefix = <span className={styles.label}>{label}</span>
  const className = `${styles.field} ${used ? styles.used : ''}`
  const style = filter.width ? { width: filter.width } : {}
  if (filter.picker)
    return (
      <span className={className} style={style}>
        <Picked draw={filter.picker} value={value} onChange={set} placeholder={t('web:list.all')} prefix={prefix} />
      </span>
    )
  const text = (found: unknown) => (typeof found === 'string' ? found : null)
  if (key === 'range')
    return (
      <DayRange
        className={className}
        style={style}
        value={[text(query.from), text(query.to)]}
        placeholder={[t('web:list.from'), t('web:list.to')]}
        aria-label={label}
        onChange={([from, to]) => onChange({ from: from ?? undefined, to: to ?? undefined })}
      />
    )
  if (info.unit === 'day') return <Day className={className} style={style} placeholder={label} aria-label={label} value={text(value)} onChange={set} />
  const options =
    filter.options ??
    (info.kind === 'boolean'
      ? [true, false].map((yes) => ({ value: String(yes), label: t(`web:bool.${yes}`) }))
      : info.values.map((item) => ({ value: item, label: t(`${ns}:enums.${key}.${item}`) })))
  if (options.length > 0) {
    return (
      <Select
        className={className}
        style={style}
        prefix={prefix}
        placeholder={t('web:list.all')}
        aria-label={label}
        allowClear
        popupMatchSelectWidth={false}
        optionFilterProp="label"
        showSearch={options.length > 8}
        value={(value === undefined ? undefined : String(value)) ?? null}
        options={options.map((option) => ({ value: String(option.value), label: option.label }))}
        onChange={(next: string | undefined) =>
          set(next === undefined ? undefined : info.kind === 'boolean' ? next === 'true' : info.kind === 'number' ? Number(next) : next)
        }
      />
    )
  }
  return (
    <SearchField
      label={label}
      value={value === undefined ? '' : String(value)}
      className={className}
      style={style}
      max={info.max ?? 60}
      onSearch={(text) => set(info.kind === 'number' ? (text === '' ? undefined : Number(text)) : text)}
    />
  )
}

/** Called, not created: pages write pickers in place, and a component that is new with every render would forget what is typed. */
const Picked = ({ draw, ...props }: PickerProps & { draw: NonNullable<Filter['picker']> }) => draw(props)

/** Searches on Enter, on leaving the field, or when it was cleared: never while somebody types. */
function SearchField({
  label,
  value,
  className,
  style,
  max,
  onSearch,
}: {
  label: string
  value: string
  className: string
  style: React.CSSProperties
  max: number
  onSearch: (text: string) => void
}) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const search = () => {
    if (text.trim() !== value) onSearch(text.trim())
  }
  return (
    <Input
      className={className}
      style={style}
      value={text}
      maxLength={max}
      placeholder={label}
      aria-label={label}
      allowClear
      onChange={(event) => {
        setText(event.target.value)
        if (event.target.value === '' && value !== '') onSearch('')
      }}
      onPressEnter={search}
      onBlur={search}
    />
  )
}
