import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { currentHint, hideHint, onHint } from './hint.ts'

const gap = 6
const edge = 8

/** Draws the tooltip of `hint.ts` beside its element, inside the window. */
export function HintBubble() {
  const shown = useSyncExternalStore(onHint, currentHint)
  const bubble = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const own = bubble.current
    if (!shown || !own) return
    if (!shown.node.isConnected) return hideHint()
    const at = shown.node.getBoundingClientRect()
    const { width, height } = own.getBoundingClientRect()
    const above = at.top - height - gap >= edge && !shown.side.startsWith('bottom')
    let [x, y] = [
      at.left + at.width / 2 - width / 2,
      above ? at.top - height - gap : at.bottom + gap,
    ]
    if (shown.side.startsWith('left') && at.left - width - gap >= edge)
      [x, y] = [at.left - width - gap, at.top + at.height / 2 - height / 2]
    if (shown.side.startsWith('right') && at.right + width + gap <= innerWidth - edge)
      [x, y] = [at.right + gap, at.top + at.height / 2 - height / 2]
    own.style.left = `${Math.max(edge, Math.min(x, innerWidth - width - edge))}px`
    own.style.top = `${Math.max(edge, Math.min(y, innerHeight - height - edge))}px`
  }, [shown])
  useEffect(() => {
    if (!shown) return
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hideHint()
    }
    addEventListener('keydown', press)
    addEventListener('scroll', hideHint, true)
    return () => {
      removeEventListener('keydown', press)
      removeEventListener('scroll', hideHint, true)
    }
  }, [shown])
  return shown ? (
    <div ref={bubble} id="hd-hint" role="tooltip" className="hd-hint">
      {shown.text}
    </div>
  ) : null
}
