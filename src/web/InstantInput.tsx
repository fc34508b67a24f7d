import { shanghaiClock } from '../shared/instants.ts'
import type { InstantProps } from './list/DayFields.tsx'
import { onDemand, onTouch } from './ui/onDemand.tsx'

/** A moment to come, to the minute, at most `days` ahead; null for none. */
export const InstantInput = onTouch<InstantProps>(
  onDemand(async () => (await import('./list/DayFields.tsx')).Instant),
  'day',
  ({ value }) => [value ? shanghaiClock(new Date(value)).slice(0, 16) : null],
)
