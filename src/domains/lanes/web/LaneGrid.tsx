import { type CSSProperties, type DragEvent, type KeyboardEvent, type MouseEvent, memo, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Planogram } from '../contract.ts'
import { dragged } from './dragged.ts'
import { LaneCard } from './LaneCard.tsx'
import { LevelName } from './LevelName.tsx'
import styles from './lanes.module.css'
import { neighbour } from './neighbour.ts'
import type { Goods, ShownRoad } from './shown.ts'
import { useBoxSelect } from './useBoxSelect.ts'

export type GridActions = {
  onSelect: (ids: number[]) => void
  onOpen: () => void
  onCopy: () => void
  onPaste: () => void
  onClear: () => void
  onUndo: () => void
  onSave: () => void
  onDrop: (id: number, goods: Goods) => void
}
type Props = { plan: Planogram; roads: readonly ShownRoad[]; selected: ReadonlySet<number>; wrong: ReadonlySet<number>; actions: GridActions }

/**
 * A row per level. Click selects one, Ctrl adds, Shift takes the range, a drawn box takes what it touches; arrows move, Space
 * selects, Enter opens, Ctrl C / V / Z / S and Delete act on the selection. Cells draw again only when they change.
 */
export function LaneGrid({ plan, roads, selected, wrong, actions }: Props) {
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
  const wide = Math.max(...plan.floors.map((floor) => Math.max(...floor.roads.map((road) => road.column))))
  const drawing = useBoxSelect(box, (ids, adds) => actions.onSelect(adds ? [...new Set([...before.current, ...ids])] : ids))
  const laneAt = (event: { target: EventTarget }) => {
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[data-lane]')
    return cell ? order.find((road) => road.id === Number(cell.dataset.lane)) : undefined
  }
  const range = (from: number | null, to: number) => {
    const [a, b] = [order.findIndex((road) => road.id === from), order.findIndex((road) => road.id === to)]
    return a < 0 ? [to] : order.slice(Math.min(a, b), Math.max(a, b) + 1).map((road) => road.id)
  }
  const toggled = (id: number) => (selected.has(id) ? [...selected].filter((other) => other !== id) : [...selected, id])
  const click = (event: MouseEvent) => {
    const road = laneAt(event)
    if (drawing.boxed.current || (event.target as HTMLElement).closest('input')) return
    if (!road) return actions.onSelect([])
    if (event.shiftKey) return actions.onSelect(range(anchor.current ?? road.id, road.id))
    anchor.current = road.id
    if (event.ctrlKey || event.metaKey) return actions.onSelect(toggled(road.id))
    actions.onSelect(selected.size === 1 && selected.has(road.id) ? [] : [road.id])
  }
  const press = (event: KeyboardEvent) => {
    const road = laneAt(event)
    if (!road) return
    const ctrl = event.ctrlKey || event.metaKey
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const act = (work: () => void) => {
      event.preventDefault()
      work()
    }
    // without a selection the lane that has the focus is meant
    const meant = (work: () => void) =>
      act(() => {
        if (selected.size === 0) actions.onSelect([road.id])
        work()
      })
    if (ctrl && key === 'a') return act(() => actions.onSelect(order.map((other) => other.id)))
    if (ctrl && key === 'c') return meant(actions.onCopy)
    if (ctrl && key === 'v') return meant(actions.onPaste)
    if (ctrl && key === 'z') return act(actions.onUndo)
    if (ctrl && key === 's') return act(actions.onSave)
    if (key === 'Delete' || key === 'Backspace') return meant(actions.onClear)
    if (key === ' ') {
      anchor.current = road.id
      return act(() => actions.onSelect(toggled(road.id)))
    }
    if (key === 'Enter')
      return act(() => {
        if (!selected.has(road.id)) actions.onSelect([road.id])
        actions.onOpen()
      })
    if (key === 'Escape') return actions.onSelect([])
    const next = neighbour(rows, road, key)
    if (!next) return
    act(() => box.current?.querySelector<HTMLElement>(`[data-lane="${next.id}"]`)?.focus())
    if (!event.shiftKey) return
    if (anchor.current === null || selected.size === 0) anchor.current = road.id
    actions.onSelect(range(anchor.current, next.id))
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
    if (road && dragged.goods) actions.onDrop(road.id, dragged.goods)
    dragged.goods = null
  }
  const first = order.find((road) => selected.has(road.id)) ?? order[0]
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the lanes inside are buttons; their events are taken here once for all
    <div
      ref={box}
      className={styles.grid}
      style={{ '--columns': Math.max(10, wide) } as CSSProperties}
      onPointerDown={(event) => {
        before.current = selected
        drawing.start(event)
      }}
      onClick={click}
      onKeyDown={press}
      onDragOver={over}
      onDragLeave={() => hover(box.current, undefined)}
      onDrop={drop}
    >
      {plan.floors.map((floor, row) => (
        <section key={floor.id} className={styles.floor} aria-label={t('levels.level', { n: floor.level })}>
          <LevelName plan={plan} floor={floor} />
          <div className={styles.lanes}>
            {rows[row]?.map((road) => (
              <Cell key={road.id} road={road} selected={selected.has(road.id)} wrong={wrong.has(road.id)} reachable={road.id === first?.id} />
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

const Cell = memo(function Cell({ road, selected, wrong, reachable }: { road: ShownRoad; selected: boolean; wrong: boolean; reachable: boolean }) {
  return (
    <button
      type="button"
      className={styles.card}
      data-lane={road.id}
      data-view={road.view}
      data-empty={road.productId === null}
      data-draft={road.draft ?? false}
      data-wrong={wrong}
      aria-pressed={selected}
      tabIndex={reachable ? 0 : -1}
      style={{ gridColumn: `${road.column} / span ${1 + road.merged.length}` }}
    >
      <LaneCard road={road} selected={selected} />
    </button>
  )
})

/** Marks the lane a dragged product would fall into; on the element itself, so that nothing is drawn again. */
function hover(root: HTMLElement | null, id: number | undefined): void {
  for (const cell of root?.querySelectorAll<HTMLElement>('[data-over]') ?? []) if (cell.dataset.lane !== String(id)) delete cell.dataset.over
  const cell = id === undefined ? null : root?.querySelector<HTMLElement>(`[data-lane="${id}"]`)
  if (cell) cell.dataset.over = 'true'
}
