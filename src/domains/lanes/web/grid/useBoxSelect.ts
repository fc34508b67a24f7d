import { type PointerEvent, type RefObject, useEffect, useRef } from 'react'

const threshold = 6
/** So near the edge of what scrolls, the lanes come along. */
const edge = 28
const pace = 14

type Box = { left: number; top: number; right: number; bottom: number }

/**
 * Draws a box with the mouse over the lanes of `grid`; `onBox` hears which ones it touches whenever
 * that changes.
 */
export function useBoxSelect(
  grid: RefObject<HTMLDivElement | null>,
  onBox: (ids: number[], adds: boolean) => void,
) {
  const stop = useRef<(() => void) | null>(null)
  /** True right after a box was drawn: the click that follows belongs to it. */
  const boxed = useRef(false)
  useEffect(() => () => stop.current?.(), [])
  const start = (event: PointerEvent) => {
    const root = grid.current
    boxed.current = false
    if (
      !root ||
      event.button !== 0 ||
      event.pointerType !== 'mouse' ||
      (event.target as HTMLElement).closest('input')
    )
      return
    const adds = event.ctrlKey || event.metaKey
    const frameOf = scroller(root)
    // places inside the grid, so that it may scroll under the hand
    const inside = (x: number, y: number) => {
      const bounds = root.getBoundingClientRect()
      return { x: x - bounds.left + root.scrollLeft, y: y - bounds.top }
    }
    const from = inside(event.clientX, event.clientY)
    let pointer = { x: event.clientX, y: event.clientY }
    let cells: ({ id: number } & Box)[] = []
    let box: HTMLDivElement | null = null
    let frame = 0
    let last = ''
    const draw = () => {
      const to = inside(pointer.x, pointer.y)
      const area: Box = {
        left: Math.min(from.x, to.x),
        top: Math.min(from.y, to.y),
        right: Math.max(from.x, to.x),
        bottom: Math.max(from.y, to.y),
      }
      if (box) {
        box.style.transform = `translate(${area.left}px, ${area.top}px)`
        box.style.width = `${area.right - area.left}px`
        box.style.height = `${area.bottom - area.top}px`
      }
      const ids = cells.filter((cell) => touches(cell, area)).map(({ id }) => id)
      if (ids.join() !== last) onBox(ids, adds)
      last = ids.join()
    }
    const follow = () => {
      frame = 0
      const pulled = pull(root, frameOf, pointer)
      draw()
      if (pulled) frame = requestAnimationFrame(follow)
    }
    const move = (now: globalThis.PointerEvent) => {
      pointer = { x: now.clientX, y: now.clientY }
      const to = inside(pointer.x, pointer.y)
      if (!box && Math.hypot(to.x - from.x, to.y - from.y) < threshold) return
      if (!box) {
        boxed.current = true
        cells = measured(root, inside)
        box = document.createElement('div')
        box.dataset.box = 'true'
        root.append(box)
      }
      now.preventDefault()
      frame ||= requestAnimationFrame(follow)
    }
    const scrolled = () => {
      if (box) frame ||= requestAnimationFrame(follow)
    }
    const end = () => {
      cancelAnimationFrame(frame)
      if (box) draw()
      box?.remove()
      removeEventListener('pointermove', move)
      removeEventListener('pointerup', end)
      removeEventListener('scroll', scrolled, true)
      stop.current = null
      // keys act on what was boxed
      const first = last.split(',')[0]
      if (box && first)
        root.querySelector<HTMLElement>(`[data-lane="${first}"]`)?.focus({ preventScroll: true })
    }
    stop.current?.()
    stop.current = end
    addEventListener('pointermove', move)
    addEventListener('pointerup', end)
    addEventListener('scroll', scrolled, true)
  }
  return { start, boxed }
}

const touches = (a: Box, b: Box) =>
  a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top

/** Where the lanes are, measured once for a box. */
const measured = (root: HTMLElement, inside: (x: number, y: number) => { x: number; y: number }) =>
  [...root.querySelectorAll<HTMLElement>('[data-lane]')].map((cell) => {
    const rect = cell.getBoundingClientRect()
    const at = inside(rect.left, rect.top)
    return {
      id: Number(cell.dataset.lane),
      left: at.x,
      top: at.y,
      right: at.x + rect.width,
      bottom: at.y + rect.height,
    }
  })

/** What scrolls the grid up and down. */
function scroller(root: HTMLElement): HTMLElement {
  for (let one = root.parentElement; one; one = one.parentElement)
    if (one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY))
      return one
  return document.documentElement
}

/** Scrolls towards the edge the pointer is at; true while there is further to go. */
function pull(root: HTMLElement, frame: HTMLElement, { x, y }: { x: number; y: number }): boolean {
  const [across, along] = [root.getBoundingClientRect(), frame.getBoundingClientRect()]
  const toward = (at: number, low: number, high: number) =>
    at < low + edge ? -pace : at > high - edge ? pace : 0
  const before = [root.scrollLeft, frame.scrollTop]
  root.scrollLeft += toward(x, Math.max(0, across.left), Math.min(innerWidth, across.right))
  frame.scrollTop += toward(y, Math.max(0, along.top), Math.min(innerHeight, along.bottom))
  return root.scrollLeft !== before[0] || frame.scrollTop !== before[1]
}
