import {
  type ComponentType,
  cloneElement,
  type FocusEvent,
  lazy,
  type MouseEvent,
  type ReactElement,
  type Ref,
  Suspense,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Fake, type FakeProps } from './deferredField.tsx'
import { hideHint, showHint } from './hint.ts'

/**
 * Stand-ins for parts of antd that load when somebody reaches for them; src/apps/web/deferred.ts puts them into the build.
 * Each takes the props of what it stands for and gives way to it for good.
 */
type Props = Record<string, unknown>
type Load = () => Promise<{ default: ComponentType<Props> }>
type Child = ReactElement<Props & { ref?: Ref<HTMLElement> }>

/** Dialogs and drawers: nothing until they are opened. */
export function whenOpen(load: Load): ComponentType<Props> {
  const Real = lazy(load)
  return function WhenOpen(props) {
    const [used, setUsed] = useState(false)
    if (props.open === true && !used) setUsed(true)
    return used || props.open === true ? (
      <Suspense>
        <Real {...props} />
      </Suspense>
    ) : null
  }
}

/** Menus and pop-overs: the child alone until it is used; then the same act happens again on the real one. */
export function onUse(load: Load): ComponentType<Props> {
  const Real = lazy(load)
  return function OnUse(props) {
    const [used, setUsed] = useState<globalThis.MouseEvent | 'now' | null>('open' in props ? 'now' : null)
    const node = useRef<HTMLElement | null>(null)
    const child = props.children as Child
    const own = child.props.ref
    const keep = (found: HTMLElement | null) => {
      node.current = found
      if (typeof own === 'function') own(found)
      else if (own) (own as { current: HTMLElement | null }).current = found
    }
    const trigger = [props.trigger ?? 'hover'].flat() as string[]
    const use = (event: MouseEvent) => {
      event.preventDefault()
      setUsed(event.nativeEvent)
    }
    const preload = () => void load().catch(() => undefined)
    const waiting = cloneElement(child, {
      ref: keep,
      onPointerEnter: both(child.props.onPointerEnter, trigger.includes('hover') ? use : preload),
      onFocus: both(child.props.onFocus, preload),
      ...(trigger.includes('click') ? { onClick: both(child.props.onClick, use) } : {}),
      ...(trigger.includes('contextMenu') ? { onContextMenu: both(child.props.onContextMenu, use) } : {}),
    })
    if (used === null) return waiting
    return (
      <Suspense fallback={waiting}>
        <Real {...props}>{cloneElement(child, { ref: keep })}</Real>
        {used === 'now' ? null : <Again event={used} node={node} />}
      </Suspense>
    )
  }
}

/** Repeats the act that was meant for the real part, and gives the focus back to its trigger. */
function Again({ event, node }: { event: globalThis.MouseEvent; node: { current: HTMLElement | null } }) {
  useEffect(() => {
    const target = node.current
    if (!target) return
    const type = event.type.startsWith('pointer') ? 'mouseover' : event.type
    if (type === 'click') target.focus({ preventScroll: true })
    target.dispatchEvent(new window.MouseEvent(type, { bubbles: true, cancelable: true, clientX: event.clientX, clientY: event.clientY }))
  }, [event, node])
  return null
}

/** Fields with a pop-up: looks like the field and becomes it when the pointer or the focus arrives. */
export function onTouch(load: Load, name: string): ComponentType<Props> {
  const Real = lazy(load)
  return function OnTouch(props) {
    const [used, setUsed] = useState<'key' | 'pointer' | null>(null)
    const pointer = useRef(false)
    const fake = (
      <Fake
        {...(props as FakeProps)}
        name={name}
        onPointerEnter={() => void load().catch(() => undefined)}
        onPointerDown={() => {
          pointer.current = true
        }}
        onClick={() => setUsed((held) => held ?? 'pointer')}
        onFocus={(event: FocusEvent) => {
          setUsed(pointer.current ? 'pointer' : 'key')
          if (typeof props.onFocus === 'function') props.onFocus(event)
        }}
      />
    )
    // What already is in use, or is made in another way than by options, does not wait.
    if (used === null && props.open === undefined && !props.autoFocus && !props.defaultOpen && !props.children && props.ref === undefined) return fake
    return (
      <Suspense fallback={fake}>
        <Real {...props} {...(used === null ? {} : { autoFocus: true })} {...(used === 'pointer' && !props.disabled ? { defaultOpen: true } : {})} />
      </Suspense>
    )
  }
}

/** Parts that are shown as soon as they are there. */
export function inPlace(load: Load): ComponentType<Props> {
  const Real = lazy(load)
  return function InPlace(props) {
    return (
      <Suspense
        fallback={
          <span className={`hd-fake ${props.className ?? ''}`} aria-hidden="true">
            {shownValue(props.value)}
          </span>
        }
      >
        <Real {...props} />
      </Suspense>
    )
  }
}

/** A number is there at once, so that its field never looks empty while the code is on the way. */
const shownValue = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** A spinner around content: the content alone until it spins for the first time. */
export function whenSpinning(load: Load): ComponentType<Props> {
  const Real = lazy(load)
  return function WhenSpinning(props) {
    const [used, setUsed] = useState(false)
    if (props.spinning === true && !used) setUsed(true)
    const content = props.children as ReactElement
    return used ? (
      <Suspense fallback={content}>
        <Real {...props} />
      </Suspense>
    ) : (
      content
    )
  }
}

/** Tooltips need no positioning library: one bubble for the whole page. */
export function hint(): ComponentType<Props> {
  return function Hint({ title, children, placement }) {
    const child = children as Child
    // what the bubble says for this child, while it does
    const shown = useRef<unknown>(null)
    const text = typeof title === 'function' ? (title as () => unknown)() : title
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
      showHint({ node: event.currentTarget as HTMLElement, text: text as ReactElement, side: String(placement ?? 'top') })
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
}

/** antd's filter in a table head; the head alone while it loads. */
export function filterHead(load: Load): ComponentType<Props> {
  const Real = lazy(load)
  return function FilterHead(props) {
    return (
      <Suspense fallback={props.children as ReactElement}>
        <Real {...props} />
      </Suspense>
    )
  }
}

type Node = { value: unknown; children?: readonly Node[] }
export const flattenKeys = (filters: readonly Node[] | undefined): unknown[] =>
  (filters ?? []).flatMap(({ value, children }) => [value, ...flattenKeys(children)])

function both<E>(first: unknown, second: (event: E) => void): (event: E) => void {
  return (event) => {
    if (typeof first === 'function') (first as (event: E) => void)(event)
    second(event)
  }
}
