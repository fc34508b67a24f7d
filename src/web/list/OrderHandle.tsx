import HolderOutlined from '@ant-design/icons/es/icons/HolderOutlined'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './OrderHandle.module.css'

export type Side = 'BEFORE' | 'AFTER'
const lineOf = (element: Element | null) =>
  element?.closest<HTMLElement>('[data-row-key]') ?? undefined

/**
 * Takes a row of a list to another place, by hand or by keys: nothing moves before it is put down,
 * and then once. Says beside which row, by its key.
 */
export function OrderHandle({
  label,
  onDrop,
  children,
}: {
  label: string
  onDrop: (beside: string, side: Side) => void
  children: ReactNode
}) {
  const { t } = useTranslation('web')
  const own = useRef<HTMLButtonElement>(null)
  const [to, setTo] = useState<number | null>(null)
  const lines = () =>
    [...(lineOf(own.current)?.parentElement?.children ?? [])].filter(
      (line): line is HTMLElement => lineOf(line) === line,
    )
  const at = () => lines().indexOf(lineOf(own.current) as HTMLElement)
  useEffect(() => {
    const line = to === null ? undefined : lines()[to]
    const side = to === null || to === at() ? undefined : to < at() ? 'BEFORE' : 'AFTER'
    if (!line || !side) return
    line.dataset.drop = side
    line.scrollIntoView({ block: 'nearest' })
    return () => {
      delete line.dataset.drop
    }
  })
  const put = (place: number | null) => {
    setTo(null)
    const key = place === null || place === at() ? undefined : lines()[place]?.dataset.rowKey
    if (key !== undefined && place !== null) onDrop(key, place < at() ? 'BEFORE' : 'AFTER')
  }
  const step = (by: number) => setTo(Math.max(0, Math.min(lines().length - 1, (to ?? at()) + by)))
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    ' ': () => (to === null ? setTo(at()) : put(to)),
    Enter: () => (to === null ? setTo(at()) : put(to)),
    ArrowUp: to === null ? undefined : () => step(-1),
    ArrowDown: to === null ? undefined : () => step(1),
    Escape: to === null ? undefined : () => setTo(null),
  }
  return (
    <span className={styles.place}>
      <button
        ref={own}
        type="button"
        className={styles.handle}
        aria-label={label}
        aria-pressed={to !== null}
        onKeyDown={(event) => {
          const act = keys[event.key]
          if (!act) return
          event.preventDefault()
          event.stopPropagation()
          act()
        }}
        onBlur={() => setTo(null)}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          setTo(at())
        }}
        onPointerMove={(event) => {
          if (to === null || !event.currentTarget.hasPointerCapture(event.pointerId)) return
          const line = lineOf(document.elementFromPoint(event.clientX, event.clientY))
          const found = line ? lines().indexOf(line) : -1
          if (found >= 0) setTo(found)
        }}
        onPointerUp={() => put(to)}
        onPointerCancel={() => setTo(null)}
      >
        <HolderOutlined />
      </button>
      {children}
      <span className="hd-visually-hidden" aria-live="polite">
        {to === null ? '' : t('list.placeAt', { at: to + 1, n: lines().length })}
      </span>
    </span>
  )
}
