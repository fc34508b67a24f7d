import { lazyDialog } from '../../../web/lazyDialog.tsx'

/** A list at times, by itself; of every list that may be exported. */
export const ScheduleDialog = lazyDialog(() =>
  import('./ScheduleDialog.tsx').then((m) => m.ScheduleDialog),
)
