import { shanghaiDay } from '../../../../shared/instants.ts'
import { call } from '../../../../web/call.ts'
import { canPlace, type GuardKey } from '../../../drug-guard/rules.ts'
import { isPast } from '../../../stock/expiry.ts'
import { replenishment } from '../../contract.ts'
import type { OfflinePack } from '../../routeContract.ts'
import {
  keep,
  keepMachines,
  keepOnly,
  keepPictures,
  type Machine,
  type PhoneBatch,
  type PhoneLane,
} from './store.ts'

/** Data older than that may be wrong; work stays possible. */
const freshHours = 24
export const isOld = (takenAt: string): boolean =>
  Date.now() - Date.parse(takenAt) > freshHours * 3_600_000

/** The route as it was taken along. */
export type KeptRoute = OfflinePack & { readonly takenAt: string }
/** The route of today with all its machines; the same again costs no more than asking. */
export async function takeRoute(db: IDBDatabase): Promise<void> {
  const pack = await call(replenishment.offlinePack, { date: shanghaiDay(new Date()) })
  const takenAt = new Date().toISOString()
  await keepMachines(db, machinesOf(pack, takenAt))
  await keepOnly(
    db,
    pack.machines.map(({ id }) => id),
  )
  await keep(db, 'route', { ...pack, takenAt } satisfies KeptRoute)
  void keepPictures(db)
}

/** One machine as it is now: not every one is on the route. */
export async function takeMachine(db: IDBDatabase, deviceId: number): Promise<void> {
  const pack = await call(replenishment.offlinePack, { date: shanghaiDay(new Date()), deviceId })
  await keepMachines(db, machinesOf(pack, new Date().toISOString()))
  void keepPictures(db)
}

function machinesOf(pack: OfflinePack, takenAt: string): Machine[] {
  const products = new Map(pack.products.map((product) => [product.id, product]))
  return pack.machines.map((machine) => {
    const { id, rtuNumber, nickname, kind, dispensingMode, site, orgIds } = machine
    const lanes = pack.lanes.flatMap(({ deviceId, layers: _, ...lane }): PhoneLane[] => {
      const product = products.get(lane.productId)
      if (deviceId !== id || !product) return []
      const { name: productName, img: productImg, model, drugClass, drug, traceRequired } = product
      return [{ ...lane, productName, productImg, model, drugClass, drug, traceRequired }]
    })
    const own = new Set(lanes.map((lane) => lane.productId))
    return {
      deviceId: id,
      rtuNumber,
      nickname,
      takenAt,
      guardVersion: pack.guardVersion,
      place: { kind, dispensingMode, site },
      lanes,
      batches: pack.batches.filter(
        ({ productId, orgId }) => own.has(productId) && orgIds.includes(orgId),
      ),
    }
  })
}

/** Whether this page judges by the rules that the server had then. */
export const knowsRules = (machine: Machine): boolean => machine.guardVersion === __GUARD__

export type Load = { pieces: number; batch: PhoneBatch | undefined; codes: number }
/** What the guard says of goods that are put in, by what was taken along; the server asks again. */
export function whyNotPut(
  machine: Pick<Machine, 'place'>,
  lane: PhoneLane,
  load?: Load,
): GuardKey | null {
  const { batch } = load ?? {}
  const verdict = canPlace(lane, machine.place, {
    excursion: lane.lockReason === 'TEMPERATURE',
    ...(load && {
      load: {
        ...load,
        batch: batch && { recalled: batch.recalled, past: isPastNow(batch) },
        batchNamed: batch !== undefined,
        traceRequired: lane.traceRequired,
        inside: false,
      },
    }),
  })
  return verdict.ok ? null : verdict.key
}
const isPastNow = ({ stopsOn }: PhoneBatch) => isPast(stopsOn, shanghaiDay(new Date()), 0)

const notBatch = { batchRecalled: 'recalled', batchExpired: 'past' } as const
/** Why goods of this batch are not put into a lane that takes others. */
export function whyNotLoaded(batch: PhoneBatch): 'recalled' | 'past' | 'used' | null {
  const verdict = canPlace(anyGoods, anyPlace, {
    load: {
      pieces: 1,
      batch: { recalled: batch.recalled, past: isPastNow(batch) },
      batchNamed: true,
      codes: 0,
      traceRequired: false,
      inside: false,
    },
  })
  if (!verdict.ok && verdict.key in notBatch) return notBatch[verdict.key as keyof typeof notBatch]
  return batch.room === 0 ? 'used' : null
}
const anyGoods = { drugClass: 'NONE', drug: null }
const anyPlace = { kind: '', dispensingMode: null, site: null }

/** Those that expire first in front; what is not loaded stands behind, and says why. */
export const batchesFor = (batches: readonly PhoneBatch[], productId: number): PhoneBatch[] =>
  batches
    .filter((batch) => batch.productId === productId)
    .sort(
      (a, b) =>
        Number(whyNotLoaded(a) !== null) - Number(whyNotLoaded(b) !== null) ||
        a.expiresOn.localeCompare(b.expiresOn) ||
        a.id - b.id,
    )
/** The one that is put in unless somebody chooses another. */
export const firstBatch = (
  batches: readonly PhoneBatch[],
  productId: number,
): PhoneBatch | undefined =>
  batchesFor(batches, productId).find((batch) => whyNotLoaded(batch) === null)
