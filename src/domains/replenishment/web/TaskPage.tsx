import { OnPhone } from './OnPhone.tsx'
import { TaskList } from './TaskList.tsx'

/** Machines that want something; on a phone also what was begun on it. */
export function TaskPage() {
  return (
    <>
      <OnPhone />
      <TaskList />
    </>
  )
}
