import { type ComponentProps, lazy, Suspense } from 'react'
import { useNarrow } from '../../../web/shell/useWidth.ts'

const HereVisits = lazy(() =>
  import('./phone/HereVisits.tsx').then((found) => ({ default: found.HereVisits })),
)

const Chip = lazy(() => import('./phone/SyncChip.tsx').then((m) => ({ default: m.SyncChip })))
const Kept = lazy(() => import('./phone/KeptRoute.tsx').then((m) => ({ default: m.KeptRoute })))

/** Whether the server has all that was done on this phone. */
export const Synced = () =>
  useNarrow() ? (
    <Suspense>
      <Chip />
    </Suspense>
  ) : null

/** The route without the network; at a desk there is none. */
export const RouteHere = (props: ComponentProps<typeof Kept>) =>
  useNarrow() ? (
    <Suspense>
      <Kept {...props} />
    </Suspense>
  ) : (
    props.other
  )

/** What is kept on this phone; at a desk nothing is. `centre`: also when all is done. */
export const OnPhone = ({ centre = false }: { centre?: boolean }) =>
  useNarrow() ? (
    <Suspense>
      <HereVisits centre={centre} />
    </Suspense>
  ) : null
