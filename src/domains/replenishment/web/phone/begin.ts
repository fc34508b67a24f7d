import { openDb } from './db.ts'
import { beginVisit, type Machine, openVisitOf } from './store.ts'
import { syncNow } from './sync.ts'
import { takeMachine } from './takeAlong.ts'

/**
 * The visit of this machine on this phone, begun now if there is none; null: it was begun
 * elsewhere.
 */
export async function beginHere(
  userId: number,
  machine: Pick<Machine, 'deviceId' | 'rtuNumber' | 'nickname'>,
  elsewhere: boolean,
): Promise<string | null> {
  const db = await openDb(userId)
  const known = await openVisitOf(db, machine.deviceId)
  if (known) return known.clientId
  if (elsewhere) return null
  // as it is now, if the network lets it; else as it was taken along
  await takeMachine(db, machine).catch(() => undefined)
  const visit = await beginVisit(db, machine)
  void syncNow(userId)
  return visit.clientId
}
