import { shanghaiDay } from '../../../../shared/instants.ts'
import { href } from '../../../../web/base.ts'
import { call } from '../../../../web/call.ts'
import { isPast } from '../../../stock/expiry.ts'
import { replenishment } from '../../contract.ts'
import type { OfflinePack } from '../../routeContract.ts'
import { keep, keepMachines, keepPictures, type Machine, type PhoneBatch } from './store.ts'

/** Data older than that may be wrong; work stays possible. */
const freshHours = 24
export const isOld = (takenAt: string): boolean =>
  Date.now() - Date.parse(takenAt) > freshHours * 3_600_000

/** The route of today with all its machines; the same again costs no more than asking. */
export async function takeRoute(db: IDBDatabase): Promise<OfflinePack> {
  const pack = await call(replenishment.offlinePack, { date: shanghaiDay(new Date()) })
  await keepMachines(db, machinesOf(pack, new Date().toISOString()))
  await keep(db, 'route', pack)
  void keepPictures(pack.products.flatMap(({ img }) => (img ? href(img) : [])))
  return pack
}

export function machinesOf(pack: OfflinePack, takenAt: string): Machine[] {
  const products = new Map(pack.products.map((product) => [product.id, product]))
  return pack.machines.flatMap(({ id }) => {
    const stop = pack.stops.find(({ deviceId }) => deviceId === id)
    if (!stop) return []
    const lanes = pack.lanes.flatMap(({ deviceId, layers: _, ...lane }) => {
      const product = products.get(lane.productId)
      if (deviceId !== id || !product) return []
      const { name: productName, img: productImg, model, drugClass, traceRequired } = product
      return [
        {
          ...lane,
          warnQty: Math.floor(lane.capacity / 5),
          productName,
          productImg,
          model,
          drugClass,
          traceRequired,
        },
      ]
    })
    const own = new Set(lanes.map((lane) => lane.productId))
    return [
      {
        deviceId: id,
        rtuNumber: stop.rtuNumber,
        nickname: stop.nickname,
        takenAt,
        lanes,
        batches: pack.batches.filter(({ productId }) => own.has(productId)),
      },
    ]
  })
}

/** One machine as it is now: not every one is on the route. */
export async function takeMachine(
  db: IDBDatabase,
  { deviceId, rtuNumber, nickname }: Pick<Machine, 'deviceId' | 'rtuNumber' | 'nickname'>,
): Promise<void> {
  const ask = { deviceId, pageSize: 200 as const }
  const [first, { list: batches }] = await Promise.all([
    call(replenishment.lanes, ask),
    call(replenishment.batches, { deviceId }),
  ])
  const more = first.total > 200 ? (await call(replenishment.lanes, { ...ask, page: 2 })).list : []
  const lanes = [...first.list, ...more].map(
    ({ rtuNumber: _, deviceId: __, productStock: quantity, roadCapacity: capacity, ...lane }) => ({
      ...lane,
      quantity,
      capacity,
      planned: Math.max(0, capacity - quantity),
      flowSeq: null,
    }),
  )
  await keepMachines(db, [
    {
      deviceId,
      rtuNumber,
      nickname,
      takenAt: new Date().toISOString(),
      lanes,
      batches: batches.map((batch) => ({ ...batch, stopsOn: batch.expiresOn, recalled: false })),
    },
  ])
  void keepPictures([
    ...new Set(lanes.flatMap((one) => (one.productImg ? href(one.productImg) : []))),
  ])
}

/** Why goods of it are not put in; the server decides by the same rules. */
export const whyNotLoaded = (batch: PhoneBatch): 'recalled' | 'past' | 'used' | null =>
  batch.recalled
    ? 'recalled'
    : isPast(batch.stopsOn, shanghaiDay(new Date()), 0)
      ? 'past'
      : batch.room === 0
        ? 'used'
        : null

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
