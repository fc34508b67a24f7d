import {
  cloneElement,
  type FocusEvent,
  type ReactElement,
  type ReactNode,
  useLayoutEffect,
  useRef,
} from 'react'
import { hideHint, showHint } from '../hint.ts'

type Handlers = Partial<
  Record<'onMouseEnter' | 'onMouseLeave' | 'onBlur' | 'onMouseDown' | 'onFocus', unknown>
>
type Props = {
  readonly title: ReactNode | (() => ReactNode)
  readonly placement?: 'top' | 'bottom' | 'left' | 'right'
  /** Takes the mouse and the focus: a control, or an element of its own. */
  readonly children: ReactNode
}

/** Tooltips need no positioning library: one bubble for the whole page, drawn by HintBubble. */
export function Tooltip({ title, children, placement = 'top' }: Props) {
  const child = children as ReactElement<Handlers>
  // what the bubble says for this child, while it does
  const shown = useRef<unknown>(null)
  const text = typeof title === 'function' ? title() : title
  const said = typeof text === 'string' ? text : text !== undefined && text !== null
  useLayoutEffect(
    () => () => {
      if (shown.current !== null) hideHint()
    },
    [],
  )
  // a control that becomes usable under the mouse must not keep its reason
  useLayoutEffect(() => {
    if (shown.current === null || shown.current === said) return
    shown.current = null
    hideHint()
  }, [said])
  if (text === undefined || text === null || text === '' || typeof child !== 'object') return child
  const show = (event: { currentTarget: EventTarget }) => {
    shown.current = said
    showHint({ node: event.currentTarget as HTMLElement, text, side: placement })
  }
  const hide = () => {
    shown.current = null
    hideHint()
  }
  const { props } = child
  return cloneElement(child, {
    onMouseEnter: both(props.onMouseEnter, show),
    onMouseLeave: both(props.onMouseLeave, hide),
    onBlur: both(props.onBlur, hide),
    onMouseDown: both(props.onMouseDown, hide),
    onFocus: both(props.onFocus, (event: FocusEvent) => {
      if ((event.target as HTMLElement).matches(':focus-visible')) show(event)
    }),
  })
}

export function both<E>(first: unknown, second: (event: E) => void): (event: E) => void {
  return (event) => {
    if (typeof first === 'function') (first as (event: E) => void)(event)
    second(event)
  }
}
