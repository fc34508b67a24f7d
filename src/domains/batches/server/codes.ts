import { sql } from 'kysely'
import type { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, inheritable, may, visible } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { isoText, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { CodeRow, type Step } from '../codeContract.ts'
import type { batches } from '../contract.ts'
import { gatherCodes } from './uploads.ts'

type Contract = typeof batches
type Query = Input<Contract['traceCodes']>

/** As of batches; of machines that are looked at, what is in them or was sold by them. */
const readable = (ctx: Ctx) =>
  inheritable(ctx, 't.org_id', (watched) => sql`t.machine_id = ${watched}`)

/** Where it was sold is for those who see that machine. */
const row = shape(CodeRow, ['trace_codes', 't'], {
  productName: sql`coalesce(p.name, '')`,
  batchNo: sql`b.batch_no`,
  expiresOn: sql`b.expires_on`,
  quarantined: sql`back.code is not null`,
  rtuNumber: sql`d.rtu_number`,
  cargoRoad: sql`coalesce(l.road_index, e.cargo_road)`,
  orderNum: sql`e.order_num`,
  soldAt: sql`e.at`,
  upload: sql`coalesce(back.state, e.state)`,
  uploadReason: sql`coalesce(back.reason, e.reason, '')`,
  orgName: sql`coalesce(o.name, '')`,
  createTime: sql`t.created_at`,
})
const joins = (
  ctx: Ctx,
) => sql`join batches b on b.id = t.batch_id left join products p on p.id = b.product_id
  left join organisations o on o.id = t.org_id and ${visible(ctx, 'o.id')}
  left join trace_events e on e.code = t.code and e.event = 'SALE'
    and ${visible(ctx, 'e.org_id', 'e.device_id')}
  left join trace_events back on back.code = t.code and back.event = 'RETURN'
    and ${visible(ctx, 'back.org_id', 'back.device_id')}
  left join lanes l on l.id = t.lane_id and ${visible(ctx, 'l.org_id', 'l.device_id')}
  left join devices d on d.id = coalesce(l.device_id, e.device_id)`
const from = (ctx: Ctx) => sql`trace_codes t ${joins(ctx)}`

/** Where a box is, or was sold, is for those who see that lane or that sale. */
const seenThere = (ctx: Ctx, deviceId: number) => sql`(t.machine_id = ${deviceId}
  and (t.lane_id in (select y.id from lanes y where y.device_id = ${deviceId}
      and ${visible(ctx, 'y.org_id', 'y.device_id')})
    or ${visible(ctx, 't.sold_org_id', 't.machine_id')}))`

/** Each filter leads through an index of its own: of the code, the batch, the machine or the sale. */
function conditions(ctx: Ctx, input: Query) {
  const sold = (condition: ReturnType<typeof sql>) =>
    sql`t.code in (select x.code from trace_events x where ${condition}
      and ${visible(ctx, 'x.org_id', 'x.device_id')})`
  return [
    readable(ctx),
    input.code && sql`t.code = ${input.code}`,
    input.productId &&
      sql`t.batch_id in (select y.id from batches y where y.product_id = ${input.productId})`,
    input.batchNo &&
      sql`t.batch_id in (select y.id from batches y
        where strpos(lower(y.batch_no), lower(${input.batchNo})) > 0)`,
    input.state && sql`t.state = ${input.state}`,
    input.deviceId && seenThere(ctx, input.deviceId),
    input.orderNum && sold(sql`x.order_num = ${input.orderNum}`),
    input.upload && sold(sql`x.state = ${input.upload}`),
    input.from && sql`t.created_at >= ${startOfDay(input.from)}`,
    input.to && sql`t.created_at < ${startOfDay(addDays(input.to, 1))}`,
  ]
}

const traceCodes: Handlers<Contract>['traceCodes'] = async (ctx, input) => {
  const { rows, ...found } = await row.page(ctx.db, {
    from: from(ctx),
    countFrom: sql`trace_codes t`,
    late: { name: 't', joins: joins(ctx) },
    where: conditions(ctx, input),
    sort: { createTime: sql`t.created_at` },
    filled: ['createTime'],
    grows: true,
    last: sql`t.code`,
    input,
  })
  return answerOf(found, rows)
}

type Moved = {
  at: string
  type: 'MERCHANT_REPLENISH' | 'MERCHANT_WITHDRAW'
  rtuNumber: string
  cargoRoad: number
  who: string
  tempMin: number | null
  tempMax: number | null
}
type Told = {
  at: string
  event: 'SALE' | 'RETURN'
  sentAt: string | null
  rtuNumber: string | null
  cargoRoad: number
  orderNum: string | null
  who: string
}
type OneStep = z.infer<typeof Step>

/** By whom it was moved, and how warm it was from being loaded to the next thing that happened. */
const movesOf = (ctx: Ctx, code: string, batchId: number) =>
  rowsOf<Moved>(ctx.db)`
    select ${isoText('f.created_at')} as at, f.type, f.rtu_number as "rtuNumber",
      f.cargo_road as "cargoRoad", coalesce(u.real_name, '') as who,
      w.low as "tempMin", w.high as "tempMax"
    from (select f.*, lead(f.created_at) over (order by f.created_at, f.id) as until
      from stock_flows f where f.codes @> array[${code}] and f.batch_id = ${batchId}
        and ${visible(ctx, 'f.org_id', 'f.device_id')}) f
    left join users u on u.id = f.actor_id and f.actor_kind = 'USER'
    left join lateral (select min(h.temp_min)::float8 as low, max(h.temp_max)::float8 as high
      from telemetry_hours h where f.type = 'MERCHANT_REPLENISH' and h.device_id = f.device_id
        and h.hour >= f.created_at - interval '1 hour'
        and h.hour <= coalesce(f.until, ${ctx.now})
        and ${visible(ctx, 'h.org_id', 'h.device_id')}) w on true
    where f.type <> 'CUSTOMER_TAKE' order by f.created_at, f.id limit 200`

/** Its buyer is for those who see orders, masked. */
const toldOf = (ctx: Ctx, code: string) =>
  rowsOf<Told>(ctx.db)`
    select ${isoText('e.at')} as at, e.event, e.order_num as "orderNum",
      case when e.state = 'SENT' then ${isoText(sql`coalesce(n.finished_at, e.at)`)} end
        as "sentAt",
      d.rtu_number as "rtuNumber", e.cargo_road as "cargoRoad",
      ${may(ctx, 'order:read') ? sql`coalesce(o.consumer, '')` : sql`''`} as who
    from trace_events e left join trace_uploads n on n.id = e.upload_id
    left join devices d on d.id = e.device_id
    left join order_keys k on k.order_num = e.order_num
    left join orders o on o.org_id = k.org_id and o.created_at = k.created_at
      and o.id = k.order_id
    where e.code = ${code} and ${visible(ctx, 'e.org_id', 'e.device_id')} order by e.at`

const recallsOf = (ctx: Ctx, batchId: number) =>
  rowsOf<{ at: string; no: string }>(ctx.db)`select ${isoText('r.recalled_at')} as at,
      r.recall_no as no
    from recalls r where r.batch_id = ${batchId} order by r.recalled_at limit 20`

const codePath: Handlers<Contract>['codePath'] = async (ctx, { code }) => {
  const box = found(
    await row.one(ctx.db, sql`from ${from(ctx)} where t.code = ${code} and ${readable(ctx)}`),
  )
  const [moves, told, recalled] = await Promise.all([
    movesOf(ctx, code, box.batchId),
    toldOf(ctx, code),
    recallsOf(ctx, box.batchId),
  ])
  const none = { tempMin: null, tempMax: null, orderNum: null, rtuNumber: null, cargoRoad: null }
  const steps: OneStep[] = [
    { ...none, kind: 'RECEIVED', at: box.createTime, who: box.batchNo },
    ...moves.map(
      ({ type, ...move }): OneStep => ({
        ...none,
        ...move,
        kind: type === 'MERCHANT_REPLENISH' ? 'LOADED' : 'WITHDRAWN',
      }),
    ),
    ...recalled.map(({ at, no }): OneStep => ({ ...none, kind: 'RECALLED', at, who: no })),
    ...told.flatMap(({ event, sentAt, ...sale }): OneStep[] => [
      { ...none, ...sale, kind: event === 'SALE' ? 'SOLD' : 'RETURNED' },
      ...(sentAt ? [{ ...none, kind: 'UPLOADED' as const, at: sentAt, who: '' }] : []),
    ]),
  ]
  return { box, steps: steps.sort((a, b) => a.at.localeCompare(b.at)) }
}

/** What failed, or waits for the next minute, is told now. */
const upload: Handlers<Contract>['upload'] = async (ctx, { codes }) => {
  const named = codes ? sql`and x.code = any(${[...codes]}::text[])` : sql``
  const rows = await rowsOf<{ orgId: number }>(ctx.db)`
    update trace_events e set state = 'WAITING', upload_id = null
    from (select x.code, x.event from trace_events x where x.state <> 'SENT'
        and ${visible(ctx, 'x.org_id', 'x.device_id')} ${named}
        and not exists (select from trace_uploads n where n.id = x.upload_id and n.state = 'SENDING')
      order by x.at limit 5000 for update skip locked) x
    where e.code = x.code and e.event = x.event returning e.org_id as "orgId"`
  ctx.audit({ id: codes?.[0] ?? '*', name: codes?.[0] ?? '*', after: { codes: rows.length } })
  if (rows.length) ctx.afterCommit(() => gatherCodes(ctx.app))
  ctx.touch('batches', rows)
  return { codes: rows.length }
}

export const codeHandlers = { traceCodes, codePath, upload }
