import { onDemand, onTouch } from '../ui/onDemand.tsx'
import type { DayProps, DayRangeProps } from './DayFields.tsx'

/** Date fields are the heaviest part of antd: they load when somebody reaches for one. */
export const DayRange = onTouch<DayRangeProps>(
  onDemand(async () => (await import('./DayFields.tsx')).DayRange),
  'range',
  ({ value }) => value,
)
export const Day = onTouch<DayProps>(
  onDemand(async () => (await import('./DayFields.tsx')).Day),
  'day',
  ({ value }) => [value],
)
