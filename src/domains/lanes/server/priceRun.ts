import { sql } from 'kysely'
import { type App, type Ctx, type Refused, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { act, bySystem } from '../../../server/run.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { bi, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { laneErrors, skips } from '../errors.ts'
import type { Skip } from '../planogram.ts'
import { scheduleFrom } from '../rules.ts'
import { finish, isClosed } from './change.ts'
import { docOf } from './documents.ts'
import { inNameOf } from './person.ts'
import { judged, loggedPrices, type ScheduledLane } from './prices.ts'
import * as q from './queries.ts'

type Due = { id: number; device_id: number; user_id: number; attempts: number; lanes: ScheduledLane[]; rtu_number: string }
const mostAttempts = 3

/** The next price change whose time has come; counted, so that one that always fails ends. */
const takeDue = (app: App): Promise<Due | undefined> =>
  app.database.transact(systemScope, async (db) => {
    const { rows } = await sql<Due>`
      with next as (select id from price_schedules where state = 'WAITING' and run_at <= ${app.now()} order by run_at, id limit 1 for update skip locked)
      update price_schedules s set attempts = s.attempts + 1 from next, devices d where s.id = next.id and d.id = s.device_id
      returning s.id, s.device_id, s.user_id, s.attempts, s.lanes, d.rtu_number`.execute(db)
    return rows[0]
  })

/** Runs one change that is due, in the name of who asked for it; true when there was one. */
export async function runNextPrices(app: App): Promise<boolean> {
  const due = await takeDue(app)
  if (!due) return false
  try {
    if (due.attempts > mostAttempts) throw new Refusal(common.unexpected)
    const caller = await inNameOf(app, due.user_id, 'lane:price')
    await act(app, caller, { audit: 'lanes.scheduled', scope: 'actor' }, (ctx) => run(ctx, due))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await bySystem(app, async (ctx) => {
      await end(ctx, due, 'FAILED', { problem: error.def.text })
      await tell(ctx, due, error.def.text)
      ctx.touch('lanes')
    })
  }
  return true
}

async function run(ctx: Ctx, due: Due): Promise<undefined | Refused> {
  const { rows } = await sql`select 1 from price_schedules where id = ${due.id} and state = 'WAITING' for update skip locked`.execute(ctx.db)
  if (rows.length === 0) return refused(common.stale)
  const device = await q.lockDevice(ctx, due.device_id)
  if (!device) throw new Refusal({ ...common.notFound, text: skips.gone })
  if (isClosed(device)) throw new Refusal(laneErrors.closed)
  const all = await q.lockAll(ctx, device.id)
  const skipped: Skip[] = []
  const wanted = due.lanes.flatMap(({ laneId, road, productId, price, retailPrice }) => {
    const lane = all.find((one) => one.id === laneId)
    if (lane?.productId === productId) return [{ lane, price, retailPrice }]
    skipped.push({ road, reason: lane ? skips.otherProduct : skips.noLane })
    return []
  })
  const priced = await judged(ctx, device, wanted)
  for (const { lane, problem } of priced) if (problem) skipped.push({ road: lane.roadIndex, reason: problem })
  const fine = priced.filter(({ problem }) => problem === '')
  if (fine.length === 0) throw new Refusal({ ...laneErrors.noPriceChange, text: skipped[0]?.reason ?? laneErrors.noPriceChange.text })
  const before = await docOf(ctx, device.id)
  await q.nextVersion(ctx, device, device.planogram_version)
  await q.saveLanes(
    ctx,
    fine.map(({ lane, price, retailPrice }) => ({ ...lane, price, retailPrice })),
  )
  await finish(ctx, { device, all, version: device.planogram_version + 1, before }, 'PRICE', loggedPrices(fine, 'from'), {
    prices: loggedPrices(fine, 'to'),
    skipped,
  })
  await end(ctx, due, 'DONE', { changed: fine.length, skipped })
  if (skipped.length) {
    const roads = skipped.map(({ road }) => road).join(' ')
    await tell(ctx, due, bi(`货道 ${roads} 未改价`, `Lanes ${roads} keep their price`))
  }
  return undefined
}

type Result = { changed?: number; skipped?: readonly Skip[]; problem?: string }
async function end(ctx: Pick<Ctx, 'db' | 'now'>, due: Due, state: 'DONE' | 'FAILED', { changed = 0, skipped = [], problem = '' }: Result): Promise<void> {
  await sql`update price_schedules set state = ${state}, changed = ${changed}, skipped = ${JSON.stringify(skipped)}::jsonb, problem = ${problem}, ended_at = ${ctx.now}
    where id = ${due.id} and state = any(${scheduleFrom(state)})`.execute(ctx.db)
}

const tell = (ctx: Ctx, due: Due, why: string) =>
  notify(ctx, {
    kind: 'JOB',
    userIds: [due.user_id],
    title: bi(`${due.rtu_number} 的定时改价有货道未执行`, `A scheduled price change of ${due.rtu_number} left lanes out`),
    body: bi(say(why, 'zh-CN'), say(why, 'en')),
    link: `/device/device-list/cargo-road/${due.device_id}`,
  })
