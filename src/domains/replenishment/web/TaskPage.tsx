import { lazy, Suspense } from 'react'
import { useNarrow } from '../../../web/shell/useWidth.ts'
import { TaskList } from './TaskList.tsx'

const HereVisits = lazy(() =>
  import('./phone/HereVisits.tsx').then((found) => ({ default: found.HereVisits })),
)

/** Machines that want something; on a phone also what was begun on it. */
export function TaskPage() {
  return (
    <>
      {useNarrow() ? (
        <Suspense>
          <HereVisits />
        </Suspense>
      ) : null}
      <TaskList />
    </>
  )
}
