import { useEffect, useState } from 'react'
import { href } from '../../../../web/base.ts'
import { newKey } from '../../../../web/call.ts'
import { clockOffset } from '../../../../web/clock.ts'
import { useUser } from '../../../../web/session.ts'
import type { checks, Op, opStates, VisitRow } from '../../contract.ts'
import type { OfflinePack } from '../../routeContract.ts'
import {
  asked,
  deleteDb,
  getAll,
  getOne,
  getOwn,
  openDb,
  put,
  type StoreName,
  transact,
} from './db.ts'
import {
  type About,
  type Change,
  changed,
  type Entry,
  isUnsaid,
  opsOf,
  saidNow,
} from './entries.ts'

/** What one person did with this phone, whether the network was there or not. */

export type PhoneLane = {
  readonly id: number
  readonly roadIndex: number
  readonly level: number
  readonly productId: number
  readonly productName: string
  readonly productImg: string
  readonly model: string
  readonly quantity: number
  readonly reserved: number
  readonly failedHold: number
  readonly capacity: number
  readonly warnQty: number
  readonly planned: number
  readonly status: 'ENABLED' | 'DISABLED' | 'FAULT' | 'LOCKED'
  readonly lockReason: string | null
  readonly drugClass: string
  readonly drug: OfflinePack['products'][number]['drug']
  readonly traceRequired: boolean
  /** Number of its last flow; null: it was not told. */
  readonly flowSeq: number | null
}
export type PhoneBatch = {
  readonly id: number
  readonly productId: number
  readonly batchNo: string
  readonly expiresOn: string
  /** From this day on it is not loaded any more. */
  readonly stopsOn: string
  readonly room: number | null
  readonly recalled: boolean
}
/** A machine as it was when it was taken along. */
export type Machine = {
  readonly deviceId: number
  readonly rtuNumber: string
  readonly nickname: string
  readonly takenAt: string
  /** Which drug guard the server had then, and what it is told of the machine. */
  readonly guardVersion: string
  readonly place: Pick<OfflinePack['machines'][number], 'kind' | 'dispensingMode' | 'site'>
  readonly lanes: readonly PhoneLane[]
  readonly batches: readonly PhoneBatch[]
}

export const visitSteps = ['ARRIVE', 'LANES', 'FINISH', 'CHECK'] as const
export type VisitStep = (typeof visitSteps)[number]
export type PhoneVisit = {
  readonly clientId: string
  readonly deviceId: number
  readonly rtuNumber: string
  readonly nickname: string
  readonly startedAt: string
  readonly clockOffset: number
  /** When what it works with was taken along. */
  readonly packAt: string | null
  readonly step: VisitStep
  readonly checks: readonly (typeof checks)[number][]
  /** OPEN: somebody works on it. SUBMITTED: it waits for the network. */
  readonly state: 'OPEN' | 'SUBMITTED' | 'DONE' | 'REFUSED'
  readonly submittedAt: string | null
  /** What the server calls it; null: it was not told yet. */
  readonly server: { readonly id: number; readonly clientId: string } | null
  readonly lastSeq: number
  /** What the server made of it, and why not all of it. */
  readonly answer: {
    readonly state: VisitRow['state']
    readonly errors: readonly { laneId: number; error: string }[]
    /** Lanes of which somebody has to say what became of the goods. */
    readonly conflicts: number
  } | null
  readonly problem: string | null
  readonly endedAt: string | null
}
export type KeptOp = {
  readonly opId: string
  readonly clientId: string
  readonly op: Op
  readonly clockOffset: number
  /** What the server said of it; null: it does not have it yet. */
  readonly result: {
    readonly state: (typeof opStates)[number]
    readonly reason: string | null
    readonly laneNow: number | null
    readonly at: string
  } | null
}
export type Photo = {
  readonly id: string
  readonly clientId: string
  /** Of a lane that is broken; else of the machine. */
  readonly laneId?: number
  readonly image: Blob
  readonly madeAt: string
  readonly sent: boolean
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('huodao-phone') : null
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}
channel?.addEventListener('message', tell)
/** Somebody changed something, in this tab or in another. */
export function onStored(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export function stored(): void {
  tell()
  channel?.postMessage('stored')
}

/** What `read` finds, again whenever something changed; undefined until the first answer. */
export function useStored<T>(read: (db: IDBDatabase) => Promise<T>, key = ''): T | undefined {
  const { id } = useUser()
  const [found, setFound] = useState<{ key: string; value: T }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read is named by `key`
  useEffect(() => {
    let turn = 0
    const look = async () => {
      turn += 1
      const mine = turn
      const value = await openDb(id).then(read)
      if (mine === turn) setFound({ key, value })
    }
    const listen = () => void look().catch(() => undefined)
    listen()
    const stop = onStored(listen)
    return () => {
      turn = -1
      stop()
    }
  }, [id, key])
  return found?.key === key ? found.value : undefined
}

export const machineOf = (db: IDBDatabase, deviceId: number) =>
  getOne<Machine>(db, 'machines', deviceId)
export async function keepMachines(db: IDBDatabase, machines: readonly Machine[]): Promise<void> {
  await transact(db, ['machines'], 'readwrite', async (of) => {
    for (const machine of machines) await asked(of('machines').put(machine))
  })
  stored()
}

export const visitOf = (db: IDBDatabase, clientId: string) =>
  getOne<PhoneVisit>(db, 'visits', clientId)
/** The newest first. */
export const visitsOf = async (db: IDBDatabase) =>
  (await getAll<PhoneVisit>(db, 'visits')).sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
export const openVisitOf = async (db: IDBDatabase, deviceId: number) =>
  (await visitsOf(db)).find((visit) => visit.deviceId === deviceId && visit.state === 'OPEN')
const ofVisit = (clientId: string) => IDBKeyRange.bound([clientId], [clientId, []])
export const entriesOf = (db: IDBDatabase, clientId: string) =>
  getAll<Entry>(db, 'entries', ofVisit(clientId))
export const opsOfVisit = async (db: IDBDatabase, clientId: string) =>
  (await getOwn<KeptOp>(db, 'ops', clientId)).sort((a, b) => a.op.clientSeq - b.op.clientSeq)
export const photosOf = (db: IDBDatabase, clientId: string) => getOwn<Photo>(db, 'photos', clientId)

/** One more, as far as there may be more. */
export async function keepPhoto(
  db: IDBDatabase,
  clientId: string,
  image: Blob,
  most: number,
  laneId?: number,
): Promise<void> {
  const photo: Photo = {
    id: newKey(),
    clientId,
    ...(laneId === undefined ? {} : { laneId }),
    image,
    madeAt: new Date().toISOString(),
    sent: false,
  }
  await transact(db, ['photos'], 'readwrite', async (of) => {
    const own = await asked(of('photos').index('clientId').getAllKeys(clientId))
    if (own.length < most) await asked(of('photos').put(photo))
  })
  stored()
}
export async function photoSent(db: IDBDatabase, photo: Photo): Promise<void> {
  await put(db, 'photos', { ...photo, sent: true })
  stored()
}
export async function dropPhoto(db: IDBDatabase, id: string): Promise<void> {
  await transact(db, ['photos'], 'readwrite', async (of) => {
    await asked(of('photos').delete(id))
  })
  stored()
}

/** Begins a visit on the phone; the server hears of it with the next upload. */
export async function beginVisit(
  db: IDBDatabase,
  machine: Pick<Machine, 'deviceId' | 'rtuNumber' | 'nickname'>,
): Promise<PhoneVisit> {
  const { deviceId, rtuNumber, nickname } = machine
  const visit: PhoneVisit = {
    clientId: newKey(),
    deviceId,
    rtuNumber,
    nickname,
    packAt: (await machineOf(db, deviceId))?.takenAt ?? null,
    startedAt: new Date().toISOString(),
    clockOffset: clockOffset(),
    step: 'ARRIVE',
    checks: [],
    state: 'OPEN',
    submittedAt: null,
    server: null,
    lastSeq: 0,
    answer: null,
    problem: null,
    endedAt: null,
  }
  await put(db, 'visits', visit)
  stored()
  return visit
}

/** Changes a visit as it is now, whoever changed it meanwhile. */
export async function changeVisit(
  db: IDBDatabase,
  clientId: string,
  change: (visit: PhoneVisit) => Partial<PhoneVisit>,
): Promise<PhoneVisit | undefined> {
  const after = await transact(db, ['visits'], 'readwrite', async (of) => {
    const visit = await asked<PhoneVisit | undefined>(of('visits').get(clientId))
    if (!visit) return undefined
    const next = { ...visit, ...change(visit) }
    await asked(of('visits').put(next))
    return next
  })
  stored()
  return after
}

export const aboutLane = (clientId: string, lane: PhoneLane): About => ({
  clientId,
  laneId: lane.id,
  productId: lane.productId,
  planned: lane.planned,
  baseSeq: lane.flowSeq,
})

/** Keeps at once what was done at lanes, as long as the visit is open; whoever calls tells of it. */
export async function changeEntries(
  db: IDBDatabase,
  clientId: string,
  changes: readonly { lane: PhoneLane; change: Change }[],
): Promise<void> {
  const at = { now: new Date().toISOString(), clockOffset: clockOffset() }
  await transact(db, ['visits', 'entries'], 'readwrite', async (of) => {
    const visit = await asked<PhoneVisit | undefined>(of('visits').get(clientId))
    if (visit?.state !== 'OPEN') return
    for (const { lane, change } of changes) {
      const before = await asked<Entry | undefined>(of('entries').get([clientId, lane.id]))
      await asked(of('entries').put(changed(before, aboutLane(clientId, lane), change, at)))
    }
  })
}

/**
 * Makes operations of what was not said yet, numbered in one piece: two tabs never give the same
 * number.
 */
export const cutOps = (db: IDBDatabase, clientId: string): Promise<void> =>
  transact(db, ['visits', 'entries', 'ops'], 'readwrite', async (of) => {
    const visit = await asked<PhoneVisit | undefined>(of('visits').get(clientId))
    if (!visit) return
    let { lastSeq } = visit
    const entries = await asked<Entry[]>(of('entries').getAll(ofVisit(clientId)))
    for (const entry of entries.sort((a, b) => (a.doneAt < b.doneAt ? -1 : 1))) {
      const ops = opsOf(entry)
      if (!ops.length) continue
      for (const op of ops) {
        lastSeq += 1
        const opId = newKey()
        const kept: KeptOp = {
          opId,
          clientId,
          op: { ...op, opId, clientSeq: lastSeq },
          clockOffset: entry.clockOffset,
          result: null,
        }
        await asked(of('ops').put(kept))
      }
      await asked(of('entries').put({ ...entry, said: saidNow(entry) }))
    }
    await asked(of('visits').put({ ...visit, lastSeq }))
  })

/**
 * The server has a visit of this machine already, begun elsewhere: ours goes on behind what it
 * holds.
 */
export const adopt = (
  db: IDBDatabase,
  clientId: string,
  server: { id: number; clientId: string; lastSeq: number },
): Promise<void> =>
  transact(db, ['visits', 'ops'], 'readwrite', async (of) => {
    const visit = await asked<PhoneVisit | undefined>(of('visits').get(clientId))
    if (!visit || visit.server) return
    const behind = server.clientId === clientId ? 0 : server.lastSeq
    if (behind)
      for (const kept of await asked<KeptOp[]>(of('ops').index('clientId').getAll(clientId)))
        await asked(
          of('ops').put({ ...kept, op: { ...kept.op, clientSeq: kept.op.clientSeq + behind } }),
        )
    const { id } = server
    const lastSeq = visit.lastSeq + behind
    await asked(of('visits').put({ ...visit, lastSeq, server: { id, clientId: server.clientId } }))
  })

export async function keepResults(
  db: IDBDatabase,
  results: readonly ({ opId: string } & Omit<NonNullable<KeptOp['result']>, 'at'>)[],
): Promise<void> {
  const at = new Date().toISOString()
  await transact(db, ['ops'], 'readwrite', async (of) => {
    for (const { opId, ...result } of results) {
      const kept = await asked<KeptOp | undefined>(of('ops').get(opId))
      // what was answered stays: a doubled one is told DUPLICATE only
      if (kept && !kept.result) await asked(of('ops').put({ ...kept, result: { ...result, at } }))
    }
  })
  stored()
}

export const isUnsent = (visit: PhoneVisit): boolean =>
  visit.state === 'OPEN' || visit.state === 'SUBMITTED'

/** How much of it the server does not have: lanes, operations, pictures, visits to be submitted. */
export async function unsentOf(db: IDBDatabase): Promise<number> {
  const visits = (await visitsOf(db)).filter(isUnsent)
  const counts = await Promise.all(
    visits.map(async ({ clientId, state }) => {
      const entries = (await entriesOf(db, clientId)).filter(isUnsaid)
      const ops = (await opsOfVisit(db, clientId)).filter(({ result }) => result === null)
      const photos = (await photosOf(db, clientId)).filter(({ sent }) => !sent)
      return entries.length + ops.length + photos.length + (state === 'SUBMITTED' ? 1 : 0)
    }),
  )
  return counts.reduce((sum, n) => sum + n, 0)
}

export const keptOf = <T>(db: IDBDatabase, name: string) => getOne<T>(db, 'kept', name)
export async function keep(db: IDBDatabase, name: string, value: unknown): Promise<void> {
  await put(db, 'kept', value, name)
  stored()
}

const daysKept = 7
/** What ended long ago goes, with all that belongs to it. */
export async function forgetOld(db: IDBDatabase): Promise<void> {
  const before = new Date(Date.now() - daysKept * 86_400_000).toISOString()
  const old = (await visitsOf(db)).filter(
    (visit) => !isUnsent(visit) && visit.endedAt !== null && visit.endedAt < before,
  )
  for (const { clientId } of old) await dropVisit(db, clientId)
}

/** A visit goes, with all that belongs to it. */
export async function dropVisit(db: IDBDatabase, clientId: string): Promise<void> {
  await transact(db, ['visits', 'entries', 'ops', 'photos'], 'readwrite', async (of) => {
    await asked(of('visits').delete(clientId))
    await asked(of('entries').delete(ofVisit(clientId)))
    for (const name of ['ops', 'photos'] as const)
      for (const key of await asked(of(name).index('clientId').getAllKeys(clientId)))
        await asked(of(name).delete(key))
  })
  stored()
}

/** Everything this phone holds of the visit's person, as a file: the last resort. */
export async function exported(db: IDBDatabase): Promise<Blob> {
  const names: StoreName[] = ['visits', 'entries', 'ops']
  const found = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await getAll(db, name)] as const)),
  )
  return new Blob([JSON.stringify(found, null, 1)], { type: 'application/json' })
}

/** The worker answers from here what the pages ask for. */
const pictures = 'huodao-pictures'
/** Small ones of the machines that are kept; others go. */
export async function keepPictures(db: IDBDatabase): Promise<void> {
  if (!('caches' in globalThis)) return
  const machines = await getAll<Machine>(db, 'machines')
  const wanted = new Set(
    machines.flatMap(({ lanes }) =>
      lanes.flatMap((lane) =>
        lane.productImg ? new URL(href(small(lane.productImg)), location.href).href : [],
      ),
    ),
  )
  const cache = await caches.open(pictures)
  const there = new Set((await cache.keys()).map(({ url }) => url))
  for (const url of there) if (!wanted.has(url)) await cache.delete(url, { ignoreVary: true })
  // as a picture on a page asks for them
  const headers = { accept: 'image/avif,image/webp,*/*' }
  for (const url of wanted)
    if (!there.has(url)) await cache.add(new Request(url, { headers })).catch(() => undefined)
}
/** As wide as a card shows it on the finest screen. */
export const small = (img: string): string => `${img}?w=200`

/** Empties the phone; refused while something was not sent. */
export async function wipe(userId: number): Promise<boolean> {
  if ((await unsentOf(await openDb(userId))) > 0) return false
  await deleteDb(userId)
  if ('caches' in globalThis) await caches.delete(pictures)
  return true
}

/**
 * What others left on this phone goes. What they did not send stays for them, and what was refused,
 * which is told for seven days.
 */
export async function wipeOthers(userId: number): Promise<void> {
  const found = (await indexedDB.databases?.()) ?? []
  for (const { name = '' } of found) {
    const id = Number(/^huodao-phone-(\d+)$/.exec(name)?.[1] ?? userId)
    if (id === userId) continue
    const db = await openDb(id)
    await forgetOld(db)
    const visits = await visitsOf(db)
    if (visits.some(({ state }) => state === 'REFUSED') || (await unsentOf(db)) > 0) {
      await transact(
        db,
        ['kept'],
        'readwrite',
        async (of) => void (await asked(of('kept').clear())),
      )
      await keepOnly(db, [])
    } else await deleteDb(id)
  }
}

/** Machines of neither the route nor a visit go. */
export const keepOnly = async (db: IDBDatabase, deviceIds: readonly number[]): Promise<void> => {
  const needed = new Set([...deviceIds, ...(await visitsOf(db)).map((one) => one.deviceId)])
  await transact(db, ['machines'], 'readwrite', async (of) => {
    for (const { deviceId } of await asked<Machine[]>(of('machines').getAll()))
      if (!needed.has(deviceId)) await asked(of('machines').delete(deviceId))
  })
}
