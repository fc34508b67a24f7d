import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'

const threshold = 6

/** Draws a box with the mouse over the lanes of `grid`; `onBox` hears which ones it touches, `done` ends a click that was none. */
export function useBoxSelect(grid: RefObject<HTMLDivElement | null>, onBox: (ids: number[], adds: boolean) => void) {
  const stop = useRef<(() => void) | null>(null)
  /** True right after a box was drawn: the click that follows belongs to it. */
  const boxed = useRef(false)
  useEffect(() => () => stop.current?.(), [])
  const start = (event: PointerEvent) => {
    const root = grid.current
    boxed.current = false
    if (!root || event.button !== 0 || event.pointerType !== 'mouse' || (event.target as HTMLElement).closest('input')) return
    const adds = event.ctrlKey || event.metaKey
    const from = { x: event.clientX, y: event.clientY }
    let rects: { id: number; rect: DOMRect }[] | null = null
    let box: HTMLDivElement | null = null
    let frame = 0
    const draw = (x: number, y: number) => {
      const bounds = root.getBoundingClientRect()
      const [left, top] = [Math.min(from.x, x), Math.min(from.y, y)]
      const [right, bottom] = [Math.max(from.x, x), Math.max(from.y, y)]
      if (box) {
        box.style.transform = `translate(${left - bounds.left + root.scrollLeft}px, ${top - bounds.top}px)`
        box.style.width = `${right - left}px`
        box.style.height = `${bottom - top}px`
      }
      const hit = (rects ?? []).filter(({ rect }) => rect.left < right && rect.right > left && rect.top < bottom && rect.bottom > top)
      onBox(
        hit.map(({ id }) => id),
        adds,
      )
    }
    const move = (now: globalThis.PointerEvent) => {
      if (!box && Math.hypot(now.clientX - from.x, now.clientY - from.y) < threshold) return
      if (!box) {
        boxed.current = true
        // measured once: nothing moves under the hand
        rects = [...root.querySelectorAll<HTMLElement>('[data-lane]')].map((cell) => ({ id: Number(cell.dataset.lane), rect: cell.getBoundingClientRect() }))
        box = document.createElement('div')
        box.dataset.box = 'true'
        root.append(box)
      }
      now.preventDefault()
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => draw(now.clientX, now.clientY))
    }
    const end = () => {
      cancelAnimationFrame(frame)
      box?.remove()
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      stop.current = null
    }
    stop.current?.()
    stop.current = end
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
  }
  return { start, boxed }
}
