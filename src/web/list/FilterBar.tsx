import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import { Button, Input } from 'antd'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { addDays, shanghaiDay } from '../../shared/instants.ts'
import { parseYuan, plainYuan } from '../../shared/money.ts'
import { fieldInfo } from '../schema.ts'
import { usePhone } from '../shell/useWidth.ts'
import { Drawer } from '../ui/overlay.tsx'
import { Popover } from '../ui/popup.tsx'
import { Select } from '../ui/select.tsx'
import { Day, DayRange } from './days.tsx'
import styles from './List.module.css'
import { activeFilters, type Query } from './listUrl.ts'
import { textWidth } from './textWidth.ts'
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
/** A field for text is as wide as what it asks for, with the mark that clears it. */
const leastWidth = 152
const clearRoom = 46

export function FilterBar({ ns, input, filters, query, fixed, onChange, onReset, tools }: Props) {
  const { t } = useTranslation('web')
  const used = activeFilters(input, query, fixed)
  const isUsed = (filter: Filter) =>
    filter.key === 'range'
      ? used.includes('from') || used.includes('to')
      : used.includes(filter.key)
  const phone = usePhone()
  const plain = filters.filter((filter) => !filter.more)
  const shown = plain.slice(0, inRow)
  const more = [...plain.slice(inRow), ...filters.filter((filter) => filter.more)]
  const field = (filter: Filter) => (
    <FilterField
      key={filter.key}
      ns={ns}
      input={input}
      filter={filter}
      query={query}
      used={isUsed(filter)}
      onChange={onChange}
    />
  )
  const usedBehind = more.filter(isUsed).length
  if (phone)
    return (
      <FilterSheet
        filters={filters}
        field={field}
        used={filters.filter(isUsed).length}
        onReset={onReset}
        tools={tools}
      />
    )
  return (
    <div className={styles.filters} role="search">
      <div className={styles.fields}>
        {shown.map(field)}
        {more.length > 0 ? (
          <Popover
            trigger="click"
            placement="bottomLeft"
            content={<div className={styles.moreFields}>{more.map(field)}</div>}
          >
            <Button icon={<FilterOutlined />} className={usedBehind > 0 ? (styles.used ?? '') : ''}>
              {t('list.moreFilters')}{' '}
              <span className={styles.quiet}>{usedBehind > 0 ? usedBehind : more.length}</span>
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

type SheetProps = {
  filters: readonly Filter[]
  field: (filter: Filter) => ReactNode
  used: number
  onReset: () => void
  tools: ReactNode
}

/** On a phone the first field stands alone; the others are in a sheet from below. */
function FilterSheet({ filters: [first, ...others], field, used, onReset, tools }: SheetProps) {
  const { t } = useTranslation('web')
  const [open, setOpen] = useState(false)
  return (
    <div className={styles.filters} role="search">
      <div className={styles.fields}>
        {first ? field(first) : null}
        {others.length > 0 ? (
          <Button
            icon={<FilterOutlined />}
            className={used > 0 ? (styles.used ?? '') : ''}
            aria-label={t('list.filter')}
            onClick={() => setOpen(true)}
          >
            {used > 0 ? used : null}
          </Button>
        ) : null}
      </div>
      <div className={styles.tools}>{tools}</div>
      <Drawer
        open={open}
        placement="bottom"
        size="auto"
        title={t('list.filter')}
        onClose={() => setOpen(false)}
        footer={
          <div className={styles.sheetFoot}>
            <Button disabled={used === 0} onClick={onReset}>
              {t('action.clear')}
            </Button>
            <Button type="primary" onClick={() => setOpen(false)}>
              {t('list.showFiltered')}
            </Button>
          </div>
        }
      >
        <div className={styles.moreFields}>{others.map(field)}</div>
      </Drawer>
    </div>
  )
}

type FieldProps = {
  ns: string
  input: z.ZodObject
  filter: Filter
  query: Query
  used: boolean
  onChange: (part: Query) => void
}

/** The label stands inside the field; a field in use is tinted. */
function FilterField({ ns, input, filter, query, used, onChange }: FieldProps) {
  const { t } = useTranslation([ns, 'web'])
  const { key } = filter
  const info = fieldInfo(input.shape[key] as z.ZodType | undefined)
  const label = filter.label ?? t(`${ns}:fields.${key}`)
  const value = query[key]
  const set = (next: unknown) =>
    onChange({ [key]: next === '' || next === null ? undefined : next })
  const prefix = <span className={styles.label}>{label}</span>
  const placeholder = filter.unset ?? t('web:list.all')
  const className = `${styles.field} ${used ? styles.used : ''}`
  const style = filter.width ? { width: filter.width } : {}
  if (filter.picker)
    return (
      <span className={className} style={style}>
        <Picked
          draw={filter.picker}
          value={value}
          onChange={set}
          placeholder={placeholder}
          prefix={prefix}
        />
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
        presets={[7, 30].map((n) => ({
          label: t('web:list.lastDays', { n }),
          days: [addDays(shanghaiDay(new Date()), 1 - n), shanghaiDay(new Date())],
        }))}
        onChange={([from, to]) => onChange({ from: from ?? undefined, to: to ?? undefined })}
      />
    )
  if (info.unit === 'day')
    return (
      <Day
        className={className}
        style={style}
        placeholder={label}
        aria-label={label}
        value={text(value)}
        onChange={set}
      />
    )
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
        placeholder={placeholder}
        aria-label={label}
        allowClear
        popupMatchSelectWidth={false}
        optionFilterProp="label"
        showSearch={options.length > 8}
        value={(value === undefined ? undefined : String(value)) ?? null}
        options={options.map((option) => ({ value: String(option.value), label: option.label }))}
        onChange={(next: string | undefined) =>
          set(
            next === undefined
              ? undefined
              : info.kind === 'boolean'
                ? next === 'true'
                : info.kind === 'number'
                  ? Number(next)
                  : next,
          )
        }
      />
    )
  }
  const money = info.unit === 'fen'
  const typed = (next: string) => {
    if (money) return parseYuan(next) ?? undefined
    return info.kind !== 'number' ? next : next === '' ? undefined : Number(next)
  }
  return (
    <SearchField
      label={label}
      value={value === undefined ? '' : money ? plainYuan(Number(value)) : String(value)}
      className={className}
      style={{ width: Math.max(leastWidth, textWidth(label) + clearRoom), ...style }}
      max={info.max ?? 60}
      onSearch={(text) => set(typed(text))}
    />
  )
}

/**
 * Called, not created: pages write pickers in place, and a component that is new with every render
 * would forget what is typed.
 */
const Picked = ({ draw, ...props }: PickerProps & { draw: NonNullable<Filter['picker']> }) =>
  draw(props)

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
