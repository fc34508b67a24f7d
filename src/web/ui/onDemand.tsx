import {
  type ComponentType,
  cloneElement,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { failureText } from '../chunks.ts'
import { translate } from '../i18n.ts'
import { toast } from '../toast.ts'
import { StandIn, type StandInProps } from './StandIn.tsx'
import { both } from './Tooltip.tsx'

/** Code that loads when somebody reaches for it. */
export type OnDemand<P> = {
  readonly begin: () => Promise<void>
  readonly found: () => ComponentType<P> | null
  readonly listen: (wake: () => void) => () => void
}

export function onDemand<P>(load: () => Promise<ComponentType<P>>): OnDemand<P> {
  let found: ComponentType<P> | null = null
  let pending: Promise<void> | null = null
  const waiting = new Set<() => void>()
  return {
    begin() {
      pending ??= load().then(
        (real) => {
          found = real
          for (const wake of waiting) wake()
        },
        (error: unknown) => {
          pending = null
          throw error
        },
      )
      return pending
    },
    found: () => found,
    listen(wake) {
      waiting.add(wake)
      return () => waiting.delete(wake)
    },
  }
}

/**
 * What was loaded, once it is wanted and there; `failed` is called when it cannot be had, and the
 * page stays as it is.
 */
export function useOnDemand<P>(
  real: OnDemand<P>,
  wanted: boolean,
  failed?: () => void,
): ComponentType<P> | null {
  const found = useSyncExternalStore(real.listen, real.found)
  const onFailed = useRef(failed)
  onFailed.current = failed
  useEffect(() => {
    if (!wanted || real.found()) return
    let over = false
    real.begin().catch((error: unknown) => {
      if (over) return
      // a form that waits for a part of itself must not go with it
      toast('error', translate(`web:${failureText(error)}`))
      onFailed.current?.()
    })
    return () => {
      over = true
    }
  }, [real, wanted])
  return wanted ? found : null
}

/** So that it is there, or nearly, when it is wanted. */
const ahead = <P,>(real: OnDemand<P>) => void real.begin().catch(() => undefined)

/**
 * Dialogs and drawers: nothing until they are opened. `close` says which of their props takes back
 * the wish.
 */
export function whenOpen<P extends { readonly open?: boolean }>(
  real: OnDemand<P>,
  close: (props: P) => void,
): (props: P) => ReactNode {
  return function WhenOpen(props) {
    const [used, setUsed] = useState(false)
    if (props.open === true && !used) setUsed(true)
    const Real = useOnDemand(real, used, () => close(props))
    return Real ? <Real {...props} /> : null
  }
}

type Child = ReactElement<Record<string, unknown> & { ref?: Ref<HTMLElement> }>
type Popup = {
  readonly trigger?: string | string[]
  readonly children?: ReactNode
  readonly open?: boolean
}

/**
 * Menus and pop-overs: the child alone until it is used; then the same act happens again on the
 * real one.
 */
export function onUse<P extends Popup>(real: OnDemand<P>): (props: P) => ReactNode {
  return function OnUse(props) {
    const [used, setUsed] = useState<globalThis.MouseEvent | 'now' | null>(
      'open' in props || real.found() ? 'now' : null,
    )
    const node = useRef<HTMLElement | null>(null)
    const Real = useOnDemand(real, used !== null, () => setUsed(null))
    const child = props.children as Child
    const own = child.props.ref
    const keep = (found: HTMLElement | null) => {
      node.current = found
      if (typeof own === 'function') own(found)
      else if (own) (own as { current: HTMLElement | null }).current = found
    }
    if (used !== null && Real)
      return (
        <>
          <Real {...props}>{cloneElement(child, { ref: keep })}</Real>
          {used === 'now' ? null : <Again event={used} node={node} />}
        </>
      )
    const trigger = [props.trigger ?? 'hover'].flat()
    const use = (event: MouseEvent) => {
      event.preventDefault()
      setUsed(event.nativeEvent)
    }
    return cloneElement(child, {
      ref: keep,
      onPointerEnter: both(
        child.props.onPointerEnter,
        trigger.includes('hover') ? use : real.begin,
      ),
      onFocus: both(child.props.onFocus, () => ahead(real)),
      ...(trigger.includes('click') ? { onClick: both(child.props.onClick, use) } : {}),
      ...(trigger.includes('contextMenu')
        ? { onContextMenu: both(child.props.onContextMenu, use) }
        : {}),
    })
  }
}

/** Repeats the act that was meant for the real part, and gives the focus back to its trigger. */
function Again({
  event,
  node,
}: {
  event: globalThis.MouseEvent
  node: { current: HTMLElement | null }
}) {
  useEffect(() => {
    const target = node.current
    if (!target) return
    const type = event.type.startsWith('pointer') ? 'mouseover' : event.type
    if (type === 'click') target.focus({ preventScroll: true })
    target.dispatchEvent(
      new window.MouseEvent(type, {
        bubbles: true,
        cancelable: true,
        clientX: event.clientX,
        clientY: event.clientY,
      }),
    )
  }, [event, node])
  return null
}

type Field = Pick<
  StandInProps,
  'className' | 'style' | 'size' | 'disabled' | 'id' | 'prefix' | 'aria-label' | 'aria-required'
> & {
  readonly placeholder?: ReactNode | readonly string[]
  readonly open?: boolean
  readonly autoFocus?: boolean
  readonly defaultOpen?: boolean
  readonly children?: ReactNode
  readonly ref?: unknown
  readonly onFocus?: (event: FocusEvent<HTMLElement>) => void
  readonly onBlur?: (event: FocusEvent<HTMLElement>) => void
}

/**
 * Fields with a pop-up: a button that looks like the field and becomes it when it is opened or
 * typed into. The focus alone changes nothing, and whoever went on before it came stays there.
 */
export function onTouch<P extends Field>(
  real: OnDemand<P>,
  looks: StandInProps['looks'],
  texts: (props: P) => readonly ReactNode[],
): (props: P) => ReactNode {
  return function OnTouch(props) {
    const [used, setUsed] = useState<'opened' | 'now' | null>(
      // what already is in use, or is made in another way than by options, does not wait
      real.found() ||
        props.open !== undefined ||
        props.autoFocus ||
        props.defaultOpen ||
        props.children ||
        props.ref !== undefined
        ? 'now'
        : null,
    )
    const here = useRef(false)
    const Real = useOnDemand(real, used !== null, () => setUsed(null))
    if (used !== null && Real) {
      const touched = used === 'opened' && here.current && !props.disabled
      return <Real {...props} {...(touched ? { autoFocus: true, defaultOpen: true } : {})} />
    }
    return (
      <StandIn
        {...props}
        looks={looks}
        texts={texts(props)}
        placeholders={[props.placeholder ?? ''].flat() as ReactNode[]}
        onPointerEnter={() => ahead(real)}
        onClick={() => {
          here.current = true
          setUsed('opened')
        }}
        onKeyDown={(event) => {
          if (opens(event)) setUsed('opened')
        }}
        onFocus={(event) => {
          here.current = true
          ahead(real)
          props.onFocus?.(event)
        }}
        onBlur={(event) => {
          here.current = false
          props.onBlur?.(event)
        }}
      />
    )
  }
}

/** Arrows, and what is typed; Enter and the space bar press the button. */
const opens = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key === 'ArrowDown' ||
  key === 'ArrowUp' ||
  (key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey)
