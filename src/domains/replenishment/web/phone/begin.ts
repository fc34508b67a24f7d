import { openDb } from './db.ts'
import { beginVisit, type Machine, machineOf, openVisitOf, visitOf } from './store.ts'
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
  // as it is now, if the network lets it soon; else as it was taken along
  const patience = (await machineOf(db, machine.deviceId)) ? 3000 : 10_000
  await Promise.race([
    takeMachine(db, machine.deviceId).catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, patience)),
  ])
  const visit = await beginVisit(db, machine)
  void syncNow(userId)
  return visit.clientId
}

/** Whether this phone works on it: then nobody writes it at the panel. */
export const isHere = async (userId: number, clientId: string): Promise<boolean> =>
  (await visitOf(await openDb(userId), clientId))?.state === 'OPEN'
