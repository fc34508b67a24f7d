import { type ComponentType, type FocusEvent, lazy, Suspense, useRef, useState } from 'react'
import { ClosedField, type ClosedFieldProps } from './ClosedField.tsx'

/** Stand-ins for parts of antd that load when somebody reaches for them. Each takes the props of what it stands for and gives way to it for good. */
type Props = Record<string, unknown>
type Load<P> = () => Promise<ComponentType<P>>

const lazily = <P,>(load: Load<P>) =>
  lazy(async () => ({ default: (await load()) as unknown as ComponentType<Props> }))

/** Dialogs and drawers: nothing until they are opened. */
export function whenOpen<P extends { readonly open?: boolean | undefined }>(
  load: Load<P>,
): ComponentType<P> {
  const Real = lazily(load)
  function WhenOpen(props: Props) {
    const [used, setUsed] = useState(false)
    if (props.open === true && !used) setUsed(true)
    return used || props.open === true ? (
      <Suspense>
        <Real {...props} />
      </Suspense>
    ) : null
  }
  return WhenOpen as unknown as ComponentType<P>
}

/** Fields with a pop-up: looks like the field and becomes it when the pointer or the focus arrives. */
export function onTouch<P>(load: Load<P>, kind: ClosedFieldProps['kind']): ComponentType<P> {
  const Real = lazily(load)
  function OnTouch(props: Props) {
    const [used, setUsed] = useState<'key' | 'pointer' | null>(null)
    const pointer = useRef(false)
    const closed = (
      <ClosedField
        {...(props as ClosedFieldProps)}
        kind={kind}
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
    if (
      used === null &&
      props.open === undefined &&
      !props.autoFocus &&
      !props.defaultOpen &&
      !props.children &&
      props.ref === undefined
    )
      return closed
    return (
      <Suspense fallback={closed}>
        <Real
          {...props}
          {...(used === null ? {} : { autoFocus: true })}
          {...(used === 'pointer' && !props.disabled ? { defaultOpen: true } : {})}
        />
      </Suspense>
    )
  }
  return OnTouch as unknown as ComponentType<P>
}
