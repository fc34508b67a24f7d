import type { ColumnType } from 'antd/es/table'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { z } from 'zod'
import { textWidth } from './list/textWidth.ts'
import { Count, Money } from './Money.tsx'
import { Picture } from './Picture.tsx'
import { StatusTag, type Tone } from './StatusTag.tsx'
import { type FieldInfo, fieldInfo } from './schema.ts'
import { Time } from './Time.tsx'

/** An antd column whose title is text, so that the column settings can list it. */
export type Column<R> = Omit<ColumnType<R>, 'title' | 'key'> & { readonly key: string; readonly title: string; readonly defaultHidden?: boolean }

type Overrides<R> = Partial<Omit<Column<R>, 'key'>> & {
  /** Where the cell leads to. */
  readonly link?: (row: R) => string
  /** Marks of an enum's values, when the contract names none. */
  readonly tones?: Readonly<Record<string, Tone>>
}

/** Padding and sort mark of a head cell, which never wraps. */
const headRoom = 44
const widths: Readonly<Record<string, number>> = {
  fen: 120,
  instant: 124,
  day: 108,
  image: 64,
  enum: 112,
  number: 96,
  boolean: 72,
  text: 160,
  array: 160,
  other: 120,
}

/**
 * `const col = useCols(DeviceRow, 'devices')`, then `col('status')`: title from `fields.status`, renderer from the zod type.
 * A key that is not in the row (an action, a joined cell) works too when `render` is given.
 */
export function useCols<S extends z.ZodObject>(
  row: S,
  namespace: string,
): (key: (keyof S['shape'] & string) | (string & {}), overrides?: Overrides<z.output<S>>) => Column<z.output<S>> {
  const { t } = useTranslation(namespace)
  return (name, { link, tones, ...overrides } = {}) => {
    const key: string = name
    const info = fieldInfo(row.shape[key] as z.ZodType | undefined)
    const title = overrides.title ?? t(`fields.${key}`)
    const right = info.kind === 'number' && key !== 'id'
    const show = (value: unknown): ReactNode =>
      renderValue(
        value,
        info,
        tones ?? info.tones,
        (word) => t(`enums.${key}.${word}`),
        (yes) => t(`web:bool.${yes}`),
      )
    return {
      key,
      dataIndex: key,
      title,
      width: Math.max(widths[info.unit ?? ''] ?? widths[info.kind] ?? 120, textWidth(title) + headRoom),
      ellipsis: (info.kind === 'text' && info.unit === undefined) || (info.kind === 'enum' && !tones && !info.tones),
      ...(right ? { align: 'right' as const } : {}),
      render: (value: unknown, record) => (link ? <Link to={link(record)}>{show(value)}</Link> : show(value)),
      ...overrides,
    }
  }
}

/** One value as tables and details show it. */
export function renderValue(
  value: unknown,
  info: FieldInfo,
  tones: Readonly<Record<string, Tone>> | undefined,
  word: (value: string) => string,
  bool: (value: boolean) => string,
): ReactNode {
  if (value === null || value === undefined || value === '') return <span className="hd-none">—</span>
  if (info.unit === 'fen') return <Money fen={Number(value)} />
  if (info.unit === 'instant') return <Time at={String(value)} />
  if (info.unit === 'image') return <Picture src={String(value)} />
  if (info.kind === 'enum') {
    const tone = tones?.[String(value)]
    return tone ? <StatusTag tone={tone}>{word(String(value))}</StatusTag> : word(String(value))
  }
  if (typeof value === 'boolean') return bool(value)
  if (typeof value === 'number') return <Count value={value} />
  return Array.isArray(value) ? value.join(', ') : String(value)
}
