import type { TableColumnType as ColumnType } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { z } from 'zod'
import { yuan } from '../shared/money.ts'
import { textWidth } from './list/textWidth.ts'
import { Count, formatCount, formatPermille, Money, Percent } from './Money.tsx'
import { Picture } from './Picture.tsx'
import { StatusTag, type Tone } from './StatusTag.tsx'
import { type FieldInfo, fieldInfo } from './schema.ts'
import { Time } from './Time.tsx'

/** An antd column whose title is text, so that the column settings can list it. */
export type Column<R> = Omit<ColumnType<R>, 'title' | 'key'> & {
  readonly key: string
  readonly title: string
  readonly defaultHidden?: boolean
  /**
   * A column nobody gave a width is as wide as its heading and what stands in the list: what it
   * shows, as text.
   */
  readonly fit?: (value: unknown, row: R) => string
  /** What it is on a phone's card, and how it looks there. */
  readonly card?: {
    readonly as: 'picture' | 'state' | 'line' | 'fact'
    readonly draw: (row: R) => ReactNode
  }
}

type Overrides<R> = Partial<Omit<Column<R>, 'key'>> & {
  /** Where the cell leads to. */
  readonly link?: (row: R) => string | undefined
  /** Marks of an enum's values, when the contract names none. */
  readonly tones?: Readonly<Record<string, Tone>>
  /**
   * Where the words of an enum's values stand, when another field of the domain has the same name:
   * `laneStatus`.
   */
  readonly words?: string
}

/** A field of the row, or a cell that draws itself. */
type Cols<S extends z.ZodObject> = {
  (key: keyof S['shape'] & string, overrides?: Overrides<z.output<S>>): Column<z.output<S>>
  (
    key: string,
    overrides: Overrides<z.output<S>> & Required<Pick<Overrides<z.output<S>>, 'render'>>,
  ): Column<z.output<S>>
}

/** Padding of a cell; with the sort mark of a head, which never wraps; with the mark of a state. */
const padding = 24
const headRoom = 44
const stateRoom = 40
const thumb = { display: 'block', lineHeight: 0 } as const
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
 * `const col = useCols(DeviceRow, 'devices')`, then `col('status')`: title from `fields.status`,
 * renderer from the zod type. A key that is not in the row (an action, a joined cell) works too
 * when `render` is given.
 */
export function useCols<S extends z.ZodObject>(row: S, namespace: string): Cols<S> {
  const { t } = useTranslation(namespace)
  return (
    name: string,
    { link, tones, words: enumKey = name, ...overrides }: Overrides<z.output<S>> = {},
  ) => {
    const key: string = name
    const info = fieldInfo(row.shape[key] as z.ZodType | undefined)
    const title = overrides.title ?? t(`fields.${key}`)
    const right = info.kind === 'number' && key !== 'id'
    const marks = tones ?? info.tones
    const word = (value: string) => t(`enums.${enumKey}.${value}`)
    const show = (value: unknown): ReactNode =>
      renderValue(value, info, marks, word, (yes) => t(`web:bool.${yes}`))
    const text = info.kind === 'text' && info.unit === undefined && !marks
    const head =
      textWidth(title) + (info.unit === 'image' || info.kind === 'boolean' ? padding : headRoom)
    // the words of an enum are known before the rows are
    const words =
      overrides.width === undefined
        ? info.values.map((value) => textWidth(word(value)) + (marks ? stateRoom : padding))
        : []
    const usual = words.length > 0 ? 0 : (widths[info.unit ?? ''] ?? widths[info.kind] ?? 120)
    const known =
      info.unit === 'fen'
        ? (value: number) => yuan(value)
        : info.unit === 'permille'
          ? formatPermille
          : info.kind === 'number'
            ? formatCount
            : String
    const content = (value: unknown) =>
      value === null || value === undefined ? '' : known(value as number)
    const fits =
      (text || info.kind === 'number') && overrides.width === undefined && !overrides.render
    const own = overrides.render
    return {
      key,
      dataIndex: key,
      title,
      width: Math.max(head, usual, ...words),
      ...(fits ? { fit: content } : {}),
      card: {
        as:
          info.unit === 'image'
            ? 'picture'
            : marks && Object.keys(marks).length > 0
              ? 'state'
              : text || info.kind === 'enum'
                ? 'line'
                : 'fact',
        draw: (record) => {
          const value = (record as Record<string, unknown>)[key]
          const tone = marks?.[String(value)]
          if (own) return own(value, record, 0) as ReactNode
          if (info.unit === 'image') return <Picture src={String(value ?? '')} size={48} />
          return tone ? (
            <StatusTag tone={tone} chip>
              {word(String(value))}
            </StatusTag>
          ) : (
            show(value)
          )
        },
      },
      ellipsis: text || (info.kind === 'enum' && !marks),
      ...(right ? { align: 'right' as const } : {}),
      render: (value: unknown, record) => {
        const to = link?.(record)
        const shown = info.unit === 'image' ? <span style={thumb}>{show(value)}</span> : show(value)
        return to ? <Link to={to}>{shown}</Link> : shown
      },
      ...overrides,
      ...(own && info.unit === 'image'
        ? {
            render: (value: unknown, record, index) => (
              <span style={thumb}>{own(value, record, index) as ReactNode}</span>
            ),
          }
        : {}),
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
  if (value === null || value === undefined || value === '')
    return <span className="hd-none">—</span>
  if (info.unit === 'fen') return <Money fen={Number(value)} />
  if (info.unit === 'permille') return <Percent permille={Number(value)} />
  if (info.unit === 'instant') return <Time at={String(value)} />
  if (info.unit === 'image') return <Picture src={String(value)} />
  const tone = tones?.[String(value)]
  if (tone) return <StatusTag tone={tone}>{word(String(value))}</StatusTag>
  if (info.kind === 'enum') return word(String(value))
  if (typeof value === 'boolean') return bool(value)
  if (typeof value === 'number') return <Count value={value} />
  return Array.isArray(value) ? value.join(', ') : String(value)
}
