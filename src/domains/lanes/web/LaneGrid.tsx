import { type CSSProperties, type KeyboardEvent, type MouseEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Planogram, Road } from '../contract.ts'
import { floorName } from '../rules.ts'
import { LaneCard } from './LaneCard.tsx'
import styles from './lanes.module.css'

type Props = { plan: Planogram; selected: ReadonlySet<number>; onSelect: (ids: number[]) => void; onOpen: () => void }

/** A row per level. Click selects one, Ctrl adds, Shift takes the range; arrows move, Enter goes to the panel. */
export function LaneGrid({ plan, selected, onSelect, onOpen }: Props) {
  const { t } = useTranslation('lanes')
  const box = useRef<HTMLDivElement>(null)
  const anchor = useRef<number | null>(null)
  const visible = plan.floors.map((floor) => floor.roads.filter((road) => road.status !== 'MERGED'))
  const order = visible.flat()
  const wide = Math.max(10, ...plan.floors.map((floor) => Math.max(...floor.roads.map((road) => road.column))))
  const click = (road: Road, event: MouseEvent) => {
    const from = order.findIndex((other) => other.id === anchor.current)
    const to = order.findIndex((other) => other.id === road.id)
    if (event.shiftKey && from >= 0) return onSelect(order.slice(Math.min(from, to), Math.max(from, to) + 1).map((other) => other.id))
    anchor.current = road.id
    if (!event.ctrlKey && !event.metaKey) return onSelect(selected.size === 1 && selected.has(road.id) ? [] : [road.id])
    onSelect(selected.has(road.id) ? [...selected].filter((id) => id !== road.id) : [...selected, road.id])
  }
  const press = (road: Road, row: number, event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      if (!selected.has(road.id)) onSelect([road.id])
      return onOpen()
    }
    if (event.key === 'Escape') return onSelect([])
    const next = neighbour(visible, row, road, event.key)
    if (!next) return
    event.preventDefault()
    box.current?.querySelector<HTMLElement>(`[data-lane="${next.id}"]`)?.focus()
    if (event.shiftKey) onSelect([...new Set([...selected, road.id, next.id])])
  }
  const first = order.find((road) => selected.has(road.id)) ?? order[0]
  return (
    <div ref={box} className={styles.grid} style={{ '--columns': wide } as CSSProperties}>
      {plan.floors.map((floor, row) => (
        <section key={floor.id} className={styles.floor} aria-label={t('levels.level', { n: floor.level })}>
          <div className={styles.level}>
            <strong>{t('short.level', { n: floor.level })}</strong>
            {floor.name === floorName(floor.level) ? null : <span>{floor.name}</span>}
          </div>
          <div className={styles.lanes}>
            {visible[row]?.map((road) => (
              <button
                key={road.id}
                type="button"
                className={styles.card}
                data-lane={road.id}
                data-view={road.view}
                data-empty={road.productId === null}
                aria-pressed={selected.has(road.id)}
                tabIndex={road.id === first?.id ? 0 : -1}
                style={{ gridColumn: `${road.column} / span ${1 + road.merged.length}` }}
                onClick={(event) => click(road, event)}
                onKeyDown={(event) => press(road, row, event)}
              >
                <LaneCard road={road} selected={selected.has(road.id)} />
              </button>
            ))}
          </div>
        </section>
      ))}
    </div>
  )
}

function neighbour(rows: readonly Road[][], row: number, road: Road, key: string): Road | undefined {
  const here = rows[row] ?? []
  const index = here.indexOf(road)
  if (key === 'ArrowLeft') return here[index - 1] ?? rows[row - 1]?.at(-1)
  if (key === 'ArrowRight') return here[index + 1] ?? rows[row + 1]?.[0]
  const other = key === 'ArrowUp' ? rows[row - 1] : key === 'ArrowDown' ? rows[row + 1] : undefined
  return other?.findLast((candidate) => candidate.column <= road.column) ?? other?.[0]
}
