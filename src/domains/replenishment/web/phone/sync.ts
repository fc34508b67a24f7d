import { useSyncExternalStore } from 'react'
import { type ApiError, call, isApiError } from '../../../../web/call.ts'
import { clockOffset } from '../../../../web/clock.ts'
import { token } from '../../../../web/token.ts'
import { replenishment, type Visit } from '../../contract.ts'
import { replenishmentErrors } from '../../errors.ts'
import { openDb } from './db.ts'
import {
  adopt,
  changeVisit,
  cutOps,
  dropVisit,
  forgetOld,
  isUnsent,
  type KeptOp,
  keep,
  keepResults,
  onStored,
  opsOfVisit,
  type PhoneVisit,
  photoSent,
  photosOf,
  unsentOf,
  visitOf,
  visitsOf,
} from './store.ts'

/** Sends what this phone holds, in its order, as soon as the network lets it. */

const atOnce = 200
/** After a failure, in milliseconds; then always the last one. */
const waits = [5_000, 30_000, 120_000, 600_000] as const
/** Somebody is still typing. */
const pause = 3_000

type State = { readonly running: boolean; readonly offline: boolean }
let state: State = { running: false, offline: !navigator.onLine }
const listeners = new Set<() => void>()
function setState(change: Partial<State>): void {
  state = { ...state, ...change }
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
export const useSyncState = (): State => useSyncExternalStore(subscribe, () => state)

let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined
function later(userId: number, ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void syncNow(userId), ms)
}

let begun: number | undefined
/** From now on what is kept is sent, by whichever tab comes first. */
export function startSync(userId: number): void {
  if (begun !== undefined) return
  begun = userId
  const now = () => void syncNow(userId)
  addEventListener('online', now)
  addEventListener('offline', () => setState({ offline: true }))
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) now()
  })
  onStored(() => {
    if (!failures && !state.running) later(userId, pause)
  })
  void navigator.storage?.persist?.().catch(() => false)
  now()
}

let turn: Promise<void> = Promise.resolve()
/** One after the other, over all tabs. */
function inTurn(act: () => Promise<void>): Promise<void> {
  const next = async () =>
    navigator.locks ? await navigator.locks.request('huodao-phone', act) : act()
  turn = turn.then(next, next)
  return turn
}

/** Sends all that waits. What fails comes again later; only what the server refuses does not. */
export async function syncNow(userId: number): Promise<void> {
  clearTimeout(timer)
  // somebody has to sign in again first; what was not sent stays
  if (token() === null) return
  if (!navigator.onLine) return setState({ offline: true })
  const db = await openDb(userId)
  if (!(await visitsOf(db)).some(isUnsent)) return settled(db)
  setState({ running: true })
  try {
    await inTurn(async () => {
      await sendAll(db)
      await forgetOld(db)
    })
    await settled(db)
    // what was done meanwhile
    if ((await unsentOf(db)) > 0) later(userId, pause)
  } catch (error) {
    later(userId, waits[Math.min(failures, waits.length - 1)] as number)
    failures += 1
    setState({ running: false, offline: isApiError(error) && error.kind !== 'refused' })
  }
}

async function settled(db: IDBDatabase): Promise<void> {
  failures = 0
  if (state.running) await keep(db, 'syncedAt', new Date().toISOString())
  setState({ running: false, offline: false })
}

/** Whether the same once more may be answered otherwise. */
const passes = (error: ApiError): boolean =>
  error.kind !== 'refused' ||
  error.code >= 500_000 ||
  [401, 403, 409, 429].includes(Math.floor(error.code / 1000)) ||
  error.code < 400_000

/** Nothing of it counts; one the server knows of is given up there first. */
export async function giveUp(userId: number, clientId: string): Promise<void> {
  const db = await openDb(userId)
  await inTurn(async () => {
    const visit = await visitOf(db, clientId)
    if (visit?.server)
      await call(replenishment.cancel, { id: visit.server.id }).catch((error: unknown) => {
        if (!isApiError(error) || passes(error)) throw error
      })
    await dropVisit(db, clientId)
  })
}

/** What holds up one machine does not hold up the others; without the network nothing goes. */
async function sendAll(db: IDBDatabase): Promise<void> {
  const failed = new Map<number, unknown>()
  for (const { clientId, deviceId } of (await visitsOf(db)).filter(isUnsent).reverse()) {
    // its visits go in their order
    if (failed.has(deviceId)) continue
    try {
      await sendVisit(db, clientId)
    } catch (error) {
      if (isApiError(error) && stopsAll(error)) throw error
      failed.set(deviceId, error)
    }
  }
  for (const error of failed.values()) throw error
}
/** No network, no session, or too many questions. */
const stopsAll = ({ kind, code }: ApiError): boolean =>
  kind !== 'refused' || code < 400_000 || [401, 429].includes(Math.floor(code / 1000))

async function sendVisit(db: IDBDatabase, clientId: string): Promise<void> {
  try {
    const visit = await visitOf(db, clientId)
    if (!visit || !isUnsent(visit)) return
    if (!visit.server) await announce(db, visit)
    await cutOps(db, clientId)
    await sendOps(db, clientId)
    await sendPhotos(db, clientId)
    await submit(db, clientId)
  } catch (error) {
    if (!isApiError(error) || passes(error)) throw error
    await refusedVisit(db, clientId, error)
  }
}

async function announce(db: IDBDatabase, visit: PhoneVisit): Promise<void> {
  const { clientId, deviceId, startedAt, packAt, clockOffset: offset } = visit
  const { id, ...server } = await call(replenishment.start, {
    deviceId,
    clientId,
    source: 'PHONE',
    startedAt: onServer(startedAt, offset),
    sentAt: nowOnServer(),
    ...(packAt ? { packAt } : {}),
  })
  await adopt(db, clientId, { id, clientId: server.clientId, lastSeq: server.lastSeq })
}

/** Moments of the phone by the clock of the server, however it was set then. */
const onServer = (at: string, offset: number) => new Date(Date.parse(at) + offset).toISOString()
const nowOnServer = () => new Date(Date.now() + clockOffset()).toISOString()

async function sendOps(db: IDBDatabase, clientId: string): Promise<void> {
  const server = (await visitOf(db, clientId))?.server
  if (!server) return
  let again = 0
  for (;;) {
    const all = await opsOfVisit(db, clientId)
    const waiting = all.filter(({ result }) => result === null || again > 0)
    const behind = again > 0 ? waiting.filter(({ op }) => op.clientSeq >= again) : waiting
    again = 0
    if (!behind.length) return
    const answer = await call(replenishment.ops, {
      clientId: server.clientId,
      ops: behind.slice(0, atOnce).map(sent),
      sentAt: nowOnServer(),
    })
    await keepResults(
      db,
      answer.ops.filter((op) => op.state !== 'WAITING'),
    )
    if (answer.ops.every((op) => op.state === 'WAITING')) {
      // the server lost some that it had: they go once more, from where it stands
      again = answer.lastSeq + 1
      if (!all.some(({ op }) => op.clientSeq === again)) throw new Error('operations are missing')
    }
  }
}

const sent = ({ op, clockOffset: offset }: KeptOp) => ({
  ...op,
  madeAt: onServer(op.madeAt, offset),
})

/** One that is not taken does not hold up the visit. */
async function sendPhotos(db: IDBDatabase, clientId: string): Promise<void> {
  const server = (await visitOf(db, clientId))?.server
  if (!server) return
  for (const photo of (await photosOf(db, clientId)).filter(({ sent }) => !sent)) {
    try {
      const { id: photoId, laneId } = photo
      const input = { clientId: server.clientId, photoId, ...(laneId && { laneId }) }
      await call(replenishment.addPhoto, input, { file: photo.image })
    } catch (error) {
      if (!isApiError(error) || passes(error)) throw error
      await changeVisit(db, clientId, () => ({ problem: error.message }))
    }
    await photoSent(db, photo)
  }
}

async function submit(db: IDBDatabase, clientId: string): Promise<void> {
  const visit = await visitOf(db, clientId)
  if (visit?.state !== 'SUBMITTED' || !visit.server) return
  const { server, lastSeq, submittedAt, checks } = visit
  const finishedAt = onServer(submittedAt ?? visit.startedAt, visit.clockOffset)
  // one whose answer was lost is closed by then, and read (`refusedVisit`)
  const answer = await call(replenishment.submit, {
    id: server.id,
    lastClientSeq: lastSeq,
    finishedAt,
    sentAt: nowOnServer(),
    checks: [...checks],
  })
  await keepAnswer(db, clientId, answer)
}

/** Of a visit nothing of which could be posted the lanes say why, and it may be mended. */
async function keepAnswer(db: IDBDatabase, clientId: string, answer: Visit): Promise<void> {
  const open = answer.state === 'DRAFT'
  await changeVisit(db, clientId, () => ({
    state: open ? 'OPEN' : 'DONE',
    problem: null,
    endedAt: open ? null : new Date().toISOString(),
    answer: {
      state: answer.state,
      conflicts: answer.openConflicts,
      errors: answer.items.flatMap(({ laneId, error }) => (error ? [{ laneId, error }] : [])),
    },
  }))
}

/** It was ended already, by an answer that was lost or by somebody else; or it is not taken. */
async function refusedVisit(db: IDBDatabase, clientId: string, error: ApiError): Promise<void> {
  const server = (await visitOf(db, clientId))?.server
  if (error.error === replenishmentErrors.closed.name && server) {
    const { visit } = await call(replenishment.result, { clientId: server.clientId })
    return keepAnswer(db, clientId, visit)
  }
  const mend = error.error === replenishmentErrors.nothing.name
  await changeVisit(db, clientId, () => ({
    state: mend ? 'OPEN' : 'REFUSED',
    problem: error.message,
    endedAt: mend ? null : new Date().toISOString(),
  }))
}
