import { lazy, Suspense } from 'react'
import { useNarrow } from '../../../web/shell/useWidth.ts'

const HereVisits = lazy(() =>
  import('./phone/HereVisits.tsx').then((found) => ({ default: found.HereVisits })),
)

/** What is kept on this phone; at a desk nothing is. `centre`: also when all is done. */
export const OnPhone = ({ centre = false }: { centre?: boolean }) =>
  useNarrow() ? (
    <Suspense>
      <HereVisits centre={centre} />
    </Suspense>
  ) : null
