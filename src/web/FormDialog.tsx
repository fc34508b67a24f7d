import type { ComponentType, ReactNode } from 'react'
import type { Endpoint } from '../shared/contract.ts'
import type { FormSpec } from './form/useForm.ts'
import { useActiveTab } from './shell/tabs.ts'
import { onDemand, useOnDemand } from './ui/onDemand.tsx'

export type FormDialogProps<E extends Endpoint> = Omit<FormSpec<E>, 'onSaved'> & {
  readonly title: string
  readonly onClose: () => void
  readonly onSaved?: FormSpec<E>['onSaved']
  readonly okText?: string
  /** What cannot be taken back: the button is red, as in a question. */
  readonly danger?: boolean
  readonly width?: number
  readonly children: ReactNode
}

const real = onDemand<FormDialogProps<Endpoint>>(
  async () => (await import('./FormDialogReal.tsx')).OpenDialog,
)

/**
 * A small form over its page. Render it only while it is open: `{editing ? <FormDialog … /> :
 * null}`. The form engine loads with the first one.
 */
export function FormDialog<E extends Endpoint>(props: FormDialogProps<E>) {
  const active = useActiveTab()
  const Open = useOnDemand(real, active, props.onClose) as ComponentType<FormDialogProps<E>> | null
  return Open ? <Open {...props} /> : null
}
