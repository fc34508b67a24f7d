import { isValidElement, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import styles from './RowTable.module.css'
import { Tick } from './Tick.tsx'
import { useKeptCells } from './useKeptCells.ts'

type Key = string | number
export type Col<R> = {
  readonly key: string
  readonly title: ReactNode
  readonly width: number
  readonly align?: 'right' | 'left' | 'center'
  /** Cut where it does not fit; the whole text shows under the mouse. */
  readonly ellipsis?: boolean
  /** Stays where it is while the others scroll below it. */
  readonly fixed?: 'start' | 'end'
  readonly sort?: 'ascend' | 'descend' | 'none'
  readonly cell: (row: R, index: number) => ReactNode
}
type Selection = {
  readonly keys: ReadonlySet<Key>
  readonly onChange: (keys: ReadonlySet<Key>) => void
  readonly disabled: boolean
  readonly fixed: boolean
  readonly all: string
  readonly one: (at: number) => string
}
type Props<R> = {
  readonly label: string
  readonly columns: readonly Col<R>[]
  readonly rows: readonly R[]
  /** When the rows were answered: their cells are drawn anew with another answer. */
  readonly asOf?: unknown
  readonly keyOf: (row: R) => Key
  readonly density: 'compact' | 'standard' | 'loose'
  readonly busy: boolean
  readonly empty: ReactNode
  readonly selection?: Selection | undefined
  readonly rowClass?: (row: R) => string | undefined
  readonly onOpen?: ((row: R) => void) | undefined
  readonly onSort: (key: string, to: 'ascend' | 'descend' | 'none') => void
}
export const selectionWidth = 40
const after = { none: 'ascend', ascend: 'descend', descend: 'none' } as const
const spoken = { ascend: 'ascending', descend: 'descending', none: 'none' } as const

/**
 * The rows of a list: a plain table that scrolls in its box, heads and outer columns stay. antd's
 * table brings five times the code for what no list needs; where rows unfold or are edited, it
 * serves.
 */
export function RowTable<R>(props: Props<R>) {
  const { columns, rows, keyOf, selection, onOpen } = props
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const own = box.current
    if (!own) return
    const mark = () => {
      own.toggleAttribute('data-before', own.scrollLeft > 0)
      own.toggleAttribute('data-after', own.scrollLeft + own.clientWidth < own.scrollWidth - 1)
    }
    const observer = new ResizeObserver(mark)
    observer.observe(own)
    for (const table of own.children) observer.observe(table)
    own.addEventListener('scroll', mark, { passive: true })
    return () => {
      observer.disconnect()
      own.removeEventListener('scroll', mark)
    }
  }, [])
  useEffect(() => {
    // what scrolls must be reachable by keyboard, also where no row holds anything to focus
    const own = box.current
    if (own?.querySelector('td a, td button, td input')) own.removeAttribute('tabindex')
    else own?.setAttribute('tabindex', '0')
  })
  const kept = useKeptCells<Key>(props.asOf ?? rows)
  const offsets = edges(columns, selection?.fixed ? selectionWidth : 0)
  const place = (column: Col<R>, index: number) => ({
    className: [
      column.fixed ? styles[column.fixed] : '',
      column.ellipsis ? styles.cut : '',
      column.align === 'right' ? styles.right : column.align === 'center' ? styles.center : '',
    ].join(' '),
    ...(column.fixed === 'start' ? { style: { left: offsets[index] } } : {}),
    ...(column.fixed === 'end' ? { style: { right: offsets[index] } } : {}),
  })
  const width = columns.reduce((sum, column) => sum + column.width, selection ? selectionWidth : 0)
  return (
    <div
      ref={box}
      className={styles.box}
      data-density={props.density}
      data-rows
      role="region"
      aria-label={props.label}
      aria-busy={props.busy}
    >
      <table className={styles.table} style={{ width }}>
        <colgroup>
          {selection ? <col style={{ width: selectionWidth }} /> : null}
          {columns.map((column) => (
            <col key={column.key} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {selection ? <All {...props} selection={selection} /> : null}
            {columns.map((column, index) => (
              <th
                key={column.key}
                scope="col"
                {...place(column, index)}
                {...(column.sort ? { 'aria-sort': spoken[column.sort] } : {})}
              >
                {column.sort ? (
                  <button
                    type="button"
                    className={styles.sort}
                    onClick={() => props.onSort(column.key, after[column.sort ?? 'none'])}
                  >
                    <span>{column.title}</span>
                  </button>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const key = keyOf(row)
            const chosen = selection?.keys.has(key) ?? false
            return (
              <tr
                key={key}
                data-row-key={key}
                className={[chosen ? styles.chosen : '', props.rowClass?.(row) ?? ''].join(' ')}
                {...(onOpen ? { onDoubleClick: () => onOpen(row) } : {})}
              >
                {selection ? (
                  <One {...props} selection={selection} at={at} chosen={chosen} />
                ) : null}
                {columns.map((column, index) => {
                  const content = kept(key, column.key, column.cell(row, at))
                  return (
                    <td
                      key={column.key}
                      {...place(column, index)}
                      title={column.ellipsis ? wordsOf(content) : undefined}
                    >
                      {content}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
      {rows.length === 0 ? <div className={styles.empty}>{props.empty}</div> : null}
    </div>
  )
}

/** How far from its edge of the box a fixed column stays. */
function edges<R>(columns: readonly Col<R>[], first: number): number[] {
  const at = columns.map(() => 0)
  let left = first
  for (const [index, column] of columns.entries()) {
    if (column.fixed !== 'start') continue
    at[index] = left
    left += column.width
  }
  let right = 0
  for (const [index, column] of [...columns.entries()].reverse()) {
    if (column.fixed !== 'end') continue
    at[index] = right
    right += column.width
  }
  return at
}

const wordsOf = (content: ReactNode): string | undefined => {
  const found = isValidElement<{ children?: ReactNode }>(content) ? content.props.children : content
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
}

type Chosen<R> = Pick<Props<R>, 'rows' | 'keyOf'> & { readonly selection: Selection }
const tickClass = (selection: Selection) => `${styles.tick} ${selection.fixed ? styles.start : ''}`

function All<R>({ rows, keyOf, selection }: Chosen<R>) {
  const shown = rows.map(keyOf)
  const held = shown.filter((key) => selection.keys.has(key)).length
  const all = shown.length > 0 && held === shown.length
  const toggle = () => {
    const next = new Set(selection.keys)
    for (const key of shown) all ? next.delete(key) : next.add(key)
    selection.onChange(next)
  }
  return (
    <th scope="col" className={tickClass(selection)} style={{ left: 0 }}>
      <Tick
        label={selection.all}
        checked={all}
        some={held > 0 && !all}
        disabled={selection.disabled || shown.length === 0}
        onChange={toggle}
      />
    </th>
  )
}

/** With the shift key: all between the row that was chosen last and this one. */
let last: { readonly of: unknown; readonly at: number } | null = null

function One<R>({
  rows,
  keyOf,
  selection,
  at,
  chosen,
}: Chosen<R> & { readonly at: number; readonly chosen: boolean }) {
  const toggle = (whole: boolean) => {
    const from = whole && last?.of === rows ? last.at : at
    const next = new Set(selection.keys)
    for (const row of rows.slice(Math.min(from, at), Math.max(from, at) + 1))
      chosen ? next.delete(keyOf(row)) : next.add(keyOf(row))
    last = chosen ? null : { of: rows, at }
    selection.onChange(next)
  }
  return (
    <td
      className={tickClass(selection)}
      style={{ left: 0 }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Tick
        label={selection.one(at + 1)}
        checked={chosen}
        disabled={selection.disabled}
        onChange={(event) => toggle((event.nativeEvent as MouseEvent).shiftKey)}
      />
    </td>
  )
}
