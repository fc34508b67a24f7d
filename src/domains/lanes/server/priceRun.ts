import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { inOneAct, type Kind, type Piece } from '../../../server/work.ts'
import { Refusal } from '../../../shared/errors.ts'
import { bi, say } from '../../../shared/text.ts'
import { isClosed } from '../../machines/rules.ts'
import { notify } from '../../notices/server/notify.ts'
import { laneErrors, skips } from '../errors.ts'
import type { Skip } from '../planogram.ts'
import type { ScheduleRow } from '../priceContract.ts'
import { scheduleFrom } from '../rules.ts'
import { hold, openHeld } from './change.ts'
import { inNameOf } from './person.ts'
import { judged, savePrices } from './prices.ts'

type Due = Piece & {
  id: number
  device_id: number
  user_id: number
  lanes: (ScheduleRow['lanes'][number] & { laneId: number; productId: number })[]
  rtuNumber: string
}

const pieces = { table: 'price_schedules' }

/**
 * Runs price changes whose time has come, in the name of who asked, in one transaction with their
 * state.
 */
export const priceKind = (app: App): Kind<Due, { state: 'DONE' }> => ({
  name: 'price-schedules',
  ...pieces,
  planned: true,
  reads: sql`(select d.rtu_number from devices d where d.id = t.device_id) as "rtuNumber"`,
  atOnce: 1,
  leaseSeconds: 60,
  waits: [0, 10],
  async do(due) {
    const caller = await inNameOf(app, due.user_id, 'lane:price')
    await inOneAct(app, pieces, due, caller, 'lanes.scheduled', (ctx) => run(ctx, due))
    return { state: 'DONE' }
  },
  async mark(ctx, due, to) {
    if (to.state === 'RETRY')
      await sql`update price_schedules set next_at = ${to.nextAt} where ${due.ours}`.execute(ctx.db)
    if (to.state !== 'FAILED' || !(await end(ctx, due, 'FAILED', { problem: to.reason }))) return
    await tell(ctx, due, to.reason)
    ctx.touch('lanes')
  },
})

async function run(ctx: Ctx, due: Due): Promise<void> {
  const held = await hold(ctx, due.device_id)
  const { device, all } = held
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  const skipped: Skip[] = []
  const wanted = due.lanes.flatMap(({ laneId, road, productId, price, retailPrice }) => {
    const lane = all.find((one) => one.id === laneId)
    if (lane?.productId === productId) return [{ lane, price, retailPrice }]
    skipped.push({ road, reason: lane ? skips.otherProduct : skips.noLane })
    return []
  })
  const priced = await judged(ctx, device, wanted)
  for (const { lane, problem } of priced)
    if (problem) skipped.push({ road: lane.roadIndex, reason: problem })
  const fine = priced.filter(({ problem }) => problem === '')
  const { noPriceChange } = laneErrors
  if (fine.length === 0)
    throw new Refusal({ ...noPriceChange, text: skipped[0]?.reason ?? noPriceChange.text })
  const opened = await openHeld(ctx, held)
  await savePrices(ctx, opened, fine, (prices) => ({ prices, skipped }))
  await end(ctx, due, 'DONE', { changed: fine.length, skipped })
  if (skipped.length) {
    const roads = skipped.map(({ road }) => road).join(' ')
    await tell(ctx, due, bi(`货道 ${roads} 未改价`, `Lanes ${roads} keep their price`))
  }
}

type Result = { changed?: number; skipped?: readonly Skip[]; problem?: string }
async function end(ctx: Ctx, due: Due, state: 'DONE' | 'FAILED', result: Result): Promise<boolean> {
  const { changed = 0, skipped = [], problem = '' } = result
  const { numAffectedRows } = await sql`update price_schedules
      set state = ${state}, next_at = null, changed = ${changed},
        skipped = ${JSON.stringify(skipped)}::jsonb,
      problem = ${problem}, ended_at = ${ctx.now}
      where ${due.ours} and state = any(${scheduleFrom(state)})`.execute(ctx.db)
  return Boolean(numAffectedRows)
}

const tell = (ctx: Ctx, due: Due, why: string) =>
  notify(ctx, {
    kind: 'JOB',
    userIds: [due.user_id],
    title: bi(
      `${due.rtuNumber} 的定时改价有货道未执行`,
      `A scheduled price change of ${due.rtuNumber} left lanes out`,
    ),
    body: bi(say(why, 'zh-CN'), say(why, 'en')),
    link: `/device/device-list/cargo-road/${due.device_id}`,
  })
