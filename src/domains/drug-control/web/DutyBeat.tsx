import { useEffect } from 'react'
import { useUser } from '../../../web/session.ts'
import { useOnDuty } from './onDuty.ts'

/** Draws nothing: whatever page is open, it says that the pharmacist is there. Others load none of it. */
export function DutyBeat() {
  const user = useUser()
  const on = useOnDuty(user.id) && user.view === null
  useEffect(() => {
    if (!on) return
    const ended = new AbortController()
    void import('./beat.ts').then(
      ({ startBeat }) => startBeat(user.id, ended.signal),
      () => undefined,
    )
    return () => ended.abort()
  }, [on, user.id])
  return null
}
