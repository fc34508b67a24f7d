import { Day } from './list/days.tsx'
import type { PickedProps } from './picked.ts'

/** A day of the business calendar as a field of a form. */
export const DayInput = ({ value, onChange, placeholder = '', id }: PickedProps<string>) => (
  <Day
    {...(id ? { id } : {})}
    style={{ width: '100%' }}
    value={typeof value === 'string' ? value : null}
    placeholder={placeholder}
    onChange={(day) => onChange?.(day ?? undefined)}
  />
)
