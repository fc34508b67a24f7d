import type { ReactNode } from 'react'

/** Props of a picker that stands as a field of a form or of the filter bar. */
export type PickedProps<T> = {
  id?: string
  value?: unknown
  onChange?: (value: T | undefined) => void
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
}
/** What every such picker hands to antd's field. */
export const wholeWidth = (props: Omit<PickedProps<never>, 'onChange'>) => ({
  ...(props.id ? { id: props.id } : {}),
  style: { width: '100%' },
  disabled: props.disabled ?? false,
  prefix: props.prefix,
  allowClear: true,
})
