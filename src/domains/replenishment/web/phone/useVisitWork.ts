import { useEffect, useRef, useState } from 'react'
import { clockOffset } from '../../../../web/clock.ts'
import { translate } from '../../../../web/i18n.ts'
import { useUser } from '../../../../web/session.ts'
import { toast } from '../../../../web/toast.ts'
import { openDb } from './db.ts'
import { type Change, changed, type Entry } from './entries.ts'
import { aboutLane, changeEntries, entriesOf, onStored, type PhoneLane, stored } from './store.ts'

export type Entries = ReadonlyMap<number, Entry>

/**
 * What was done at the lanes of a visit: at once on the screen, and kept before the hand is off the
 * glass. What another tab or the upload changed comes in beside it.
 */
export function useVisitWork(clientId: string) {
  const { id } = useUser()
  const [entries, setEntries] = useState<Entries>()
  const edits = useRef({ made: 0, kept: 0 })
  useEffect(() => {
    let gone = false
    const look = async () => {
      const { made } = edits.current
      const found = await openDb(id).then((db) => entriesOf(db, clientId))
      // read before the last change was kept: that one reads again
      if (gone || made !== edits.current.made || edits.current.kept < made) return
      setEntries(new Map(found.map((entry) => [entry.laneId, entry])))
    }
    const listen = () => void look().catch(() => undefined)
    listen()
    const stop = onStored(listen)
    return () => {
      gone = true
      stop()
    }
  }, [id, clientId])
  const change = (changes: readonly { lane: PhoneLane; change: Change }[]) => {
    const at = { now: new Date().toISOString(), clockOffset: clockOffset() }
    edits.current.made += 1
    setEntries((before) => {
      const after = new Map(before)
      for (const { lane, change: one } of changes)
        after.set(lane.id, changed(after.get(lane.id), aboutLane(clientId, lane), one, at))
      return after
    })
    const { made } = edits.current
    void openDb(id)
      .then((db) => changeEntries(db, clientId, changes))
      .then(
        () => {
          edits.current.kept = Math.max(edits.current.kept, made)
          stored()
        },
        () => toast('error', translate('replenishment:phone.notKept')),
      )
  }
  return { entries, change }
}
