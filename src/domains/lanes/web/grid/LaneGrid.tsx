import type { TFunction } from 'i18next'
import {
  type CSSProperties,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useMemo,
  useRef,
} from 'react'
import { useTranslation } from 'react-i18next'
import type { Planogram } from '../../contract.ts'
import { dragged, type Goods, type ShownRoad, widest } from '../shown.ts'
import { LaneCard } from './LaneCard.tsx'
import { LevelName } from './LevelName.tsx'
import styles from './lanes.module.css'
import { type Selection, useIsChosen } from './selection.ts'
import { useBoxSelect } from './useBoxSelect.ts'

export type GridActions = {
  onOpen: () => void
  onCopy: (ids: number[]) => void
  onPaste: (ids: number[]) => void
  onClear: (ids: number[]) => void
  onUndo: () => void
  onRedo: () => void
  onDrop: (id: number, goods: Goods) => void
}
type Props = {
  plan: Planogram
  roads: readonly ShownRoad[]
  selection: Selection
  wrong: ReadonlySet<number>
  actions: RefObject<GridActions>
}

/**
 * A row per level. Click selects one, Ctrl adds, Shift takes the range, a drawn box takes what it
 * touches; arrows move the selection, with Ctrl only the focus, Space adds, Enter opens, Ctrl C / V
 * / Z and Delete act on it. Cells draw again only when they change.
 */
export const LaneGrid = memo(function LaneGrid({ plan, roads, selection, wrong, actions }: Props) {
  const { t } = useTranslation('lanes')
  const box = useRef<HTMLDivElement>(null)
  const anchor = useRef<number | null>(null)
  const before = useRef<ReadonlySet<number>>(new Set())
  const rows = useMemo(() => {
    const byFloor = Map.groupBy(
      roads.filter((road) => road.status !== 'MERGED'),
      (road) => road.floorId,
    )
    return plan.floors.map((floor) => byFloor.get(floor.id) ?? [])
  }, [plan.floors, roads])
  const order = rows.flat()
  const drawing = useBoxSelect(box, (ids, adds) =>
    selection.set(adds ? [...new Set([...before.current, ...ids])] : ids),
  )
  const laneAt = (event: { target: EventTarget }) => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-lane]')
    return cell ? order.find((road) => road.id === Number(cell.dataset.lane)) : undefined
  }
  const range = (from: number | null, to: number) => {
    const ids = order.map((road) => road.id)
    const ends = [ids.indexOf(from ?? 0), ids.indexOf(to)]
    return ends[0] === -1 ? [to] : ids.slice(Math.min(...ends), Math.max(...ends) + 1)
  }
  const toggled = (id: number) => {
    const selected = selection.get()
    return selected.has(id) ? [...selected].filter((other) => other !== id) : [...selected, id]
  }
  const click = (event: MouseEvent) => {
    const road = laneAt(event)
    if (drawing.boxed.current || (event.target as HTMLElement).closest('input')) return
    if (!road) return selection.set([])
    // not every browser gives a clicked button the focus, and without it no key arrives here
    cellOf(box.current, road.id)?.focus({ preventScroll: true })
    if (event.shiftKey) return selection.set(range(anchor.current ?? road.id, road.id))
    anchor.current = road.id
    if (event.ctrlKey || event.metaKey) return selection.set(toggled(road.id))
    const selected = selection.get()
    selection.set(selected.size === 1 && selected.has(road.id) ? [] : [road.id])
  }
  const press = (event: KeyboardEvent) => {
    const road = laneAt(event)
    if (!road) return
    const selected = selection.get()
    const ctrl = event.ctrlKey || event.metaKey
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const act = (work: () => void) => {
      event.preventDefault()
      work()
    }
    // without a selection the lane that has the focus is meant
    const meant = (work: (ids: number[]) => void) =>
      act(() => {
        if (selected.size === 0) selection.set([road.id])
        work(order.map(({ id }) => id).filter((id) => selection.get().has(id)))
      })
    const { onCopy, onPaste, onClear, onUndo, onRedo, onOpen } = actions.current
    if (ctrl && key === 'a') return act(() => selection.set(order.map(({ id }) => id)))
    if (ctrl && key === 'c') return meant(onCopy)
    if (ctrl && key === 'v') return meant(onPaste)
    if (ctrl && key === 'z') return act(event.shiftKey ? onRedo : onUndo)
    if (ctrl && key === 'y') return act(onRedo)
    if (key === 'Delete' || key === 'Backspace') return meant(onClear)
    if (key === ' ') {
      anchor.current = road.id
      return act(() => selection.set(toggled(road.id)))
    }
    if (key === 'Enter')
      return act(() => {
        if (!selected.has(road.id)) selection.set([road.id])
        onOpen()
      })
    if (key === 'Escape') return selection.set([])
    const next = neighbour(rows, road, key)
    if (!next) return
    act(() => cellOf(box.current, next.id)?.focus())
    if (!event.shiftKey) {
      if (ctrl) return
      anchor.current = next.id
      return selection.set([next.id])
    }
    if (anchor.current === null || selected.size === 0) anchor.current = road.id
    selection.set(range(anchor.current, next.id))
  }
  const over = (event: DragEvent) => {
    if (!plan.can.update || !dragged.goods) return
    const road = laneAt(event)
    hover(box.current, road?.id)
    if (road) event.preventDefault()
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    hover(box.current, undefined)
    const road = laneAt(event)
    if (road && dragged.goods) actions.current.onDrop(road.id, dragged.goods)
    dragged.goods = null
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the lanes inside are buttons; their events are taken here once for all
    <div
      ref={box}
      className={styles.grid}
      style={{ '--columns': Math.max(10, widest(plan)) } as CSSProperties}
      onPointerDown={(event) => {
        before.current = selection.get()
        drawing.start(event)
      }}
      onClick={click}
      onKeyDown={press}
      onFocus={(event) =>
        reach(box.current, (event.target as HTMLElement).closest<HTMLElement>('[data-lane]'))
      }
      onDragOver={over}
      onDragLeave={() => hover(box.current, undefined)}
      onDrop={drop}
    >
      {plan.floors.map((floor, row) => (
        <section
          key={floor.id}
          className={styles.floor}
          aria-label={t('levels.level', { n: floor.level })}
        >
          <LevelName plan={plan} floor={floor} />
          <div className={styles.lanes}>
            {rows[row]?.map((road) => (
              <Cell
                key={road.id}
                road={road}
                selection={selection}
                wrong={wrong.has(road.id)}
                reachable={road === order[0]}
                offer={plan.can.update}
                t={t}
              />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
})

/**
 * Where an arrow leads: along the level and on to the next one, or to the lane above or below that
 * covers the column.
 */
function neighbour(
  rows: readonly (readonly ShownRoad[])[],
  road: ShownRoad,
  key: string,
): ShownRoad | undefined {
  const row = rows.findIndex((lanes) => lanes.includes(road))
  const here = rows[row] ?? []
  const index = here.indexOf(road)
  if (key === 'ArrowLeft') return here[index - 1] ?? rows[row - 1]?.at(-1)
  if (key === 'ArrowRight') return here[index + 1] ?? rows[row + 1]?.[0]
  if (key === 'Home') return here[0]
  if (key === 'End') return here.at(-1)
  const other = key === 'ArrowUp' ? rows[row - 1] : key === 'ArrowDown' ? rows[row + 1] : undefined
  return other?.findLast((candidate) => candidate.column <= road.column) ?? other?.[0]
}

type CellProps = {
  road: ShownRoad
  selection: Selection
  wrong: boolean
  reachable: boolean
  offer: boolean
  t: TFunction<'lanes'>
}
const Cell = memo(function Cell({ road, selection, wrong, reachable, offer, t }: CellProps) {
  return (
    <button
      type="button"
      className={styles.card}
      data-lane={road.id}
      data-view={road.view}
      data-empty={road.productId === null}
      data-draft={road.draft ?? false}
      data-wrong={wrong}
      aria-pressed={useIsChosen(selection, road.id)}
      tabIndex={reachable ? 0 : -1}
      style={{ gridColumn: `${road.column} / span ${1 + road.merged.length}` }}
    >
      <LaneCard road={road} offer={offer} t={t} />
    </button>
  )
})

const cellOf = (root: HTMLElement | null, id: number) =>
  root?.querySelector<HTMLElement>(`[data-lane="${id}"]`)

/**
 * Tab comes back to the lane that had the focus; on the elements themselves, so that nothing is
 * drawn again.
 */
function reach(root: HTMLElement | null, cell: HTMLElement | null): void {
  if (!cell) return
  for (const other of root?.querySelectorAll<HTMLElement>('[data-lane][tabindex="0"]') ?? [])
    other.tabIndex = -1
  cell.tabIndex = 0
}

/**
 * Marks the lane a dragged product would fall into; on the element itself, so that nothing is drawn
 * again.
 */
function hover(root: HTMLElement | null, id: number | undefined): void {
  for (const cell of root?.querySelectorAll<HTMLElement>('[data-over]') ?? [])
    if (cell.dataset.lane !== String(id)) delete cell.dataset.over
  const cell = id === undefined ? null : cellOf(root, id)
  if (cell) cell.dataset.over = 'true'
}
