import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { all } from '../../../server/lists.ts'
import { onlyRow } from '../../../server/rows.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { type Days, type Part, partsOf, type SalesGroup } from '../rules.ts'

export type Where = {
  orgId?: number | undefined
  deviceId?: number | undefined
  storeId?: number | undefined
  region?: string | undefined
}

/** The platform sees everything; naming organisations keeps its reads on their indexes. */
export const scoped = (ctx: Ctx, org: string, device: string): RawBuilder<boolean> =>
  ctx.actor.scope.all
    ? sql<boolean>`${sql.ref(org)} = any(array(select id from organisations))`
    : visible(ctx, org, device)

const foldedUntil = async (ctx: Ctx): Promise<string> =>
  (await onlyRow<{ until: string }>(ctx.db)`select until::text from sales_folded`).until

/**
 * Figures of days before `until` are added up by organisation and by month; read again when a day
 * was added up meanwhile, which is once a night.
 */
export async function withFolds<T>(ctx: Ctx, read: (until: string) => Promise<T>): Promise<T> {
  const until = await foldedUntil(ctx)
  const found = await read(until)
  return until === (await foldedUntil(ctx)) ? found : withFolds(ctx, read)
}

export const below = (org: number) =>
  sql`any(array(select b.id from organisations a join organisations b on b.path <@ a.path
    where a.id = ${org}))`
const inRegion = (region: string) =>
  sql`d.${sql.ref(region.endsWith('0000') ? 'province' : region.endsWith('00') ? 'city' : 'county')}
    = ${region}`

/** Rows of figures that their reader may see, of the places that were asked for. */
export const within = (ctx: Ctx, input: Where, alias: string): RawBuilder<unknown> => {
  const name = (column: string) => sql.ref(`${alias}.${column}`)
  const machines = (condition: RawBuilder<unknown>) =>
    sql`${name('device_id')} = any(array(select d.id from devices d where ${condition}))`
  return all([
    scoped(ctx, `${alias}.org_id`, `${alias}.device_id`),
    input.orgId && sql`${name('org_id')} = ${below(input.orgId)}`,
    input.deviceId && sql`${name('device_id')} = ${input.deviceId}`,
    input.storeId && machines(sql`d.store_id = ${input.storeId}`),
    input.region && machines(inRegion(input.region)),
  ])
}

/** Machines themselves, by the same places. */
export const machinesWithin = (ctx: Ctx, input: Where): RawBuilder<unknown> =>
  all([
    scoped(ctx, 'd.org_id', 'd.id'),
    input.orgId && sql`d.org_id = ${below(input.orgId)}`,
    input.deviceId && sql`d.id = ${input.deviceId}`,
    input.storeId && sql`d.store_id = ${input.storeId}`,
    input.region && inRegion(input.region),
  ])

/** Whether the figures of whole organisations answer: of all their machines, for who sees all. */
export const isWhole = (ctx: Ctx, input: Where) =>
  ctx.actor.scope.devices === null &&
  ctx.actor.scope.watched === null &&
  !input.deviceId &&
  !input.storeId &&
  !input.region
/** The platform's figures of all of them are those of organisation 0. */
export const isAll = (ctx: Ctx, input: Where) =>
  ctx.actor.scope.all && !input.orgId && isWhole(ctx, input)

const figures = sql.raw(
  ['orders', 'pieces', 'vended', 'turnover', 'paid', 'refunded', 'refund_orders', 'cost', 'fee']
    .map((name) => `r.${name}`)
    .join(', '),
)
const day = sql`(r.at at time zone 'Asia/Shanghai')::date`

/** What a report by machines needs: rows of each of them, not of whole organisations. */
const byMachine = (group: SalesGroup) =>
  group === 'DEVICE' || group === 'ORG' || group === 'STORE' || group === 'MONTH'

/**
 * The figures of these days as `org_id, device_id, day, hour, pay_type, devices, …`: days that are
 * over from what they were added up to, the others machine by machine.
 */
export function salesRows(
  ctx: Ctx,
  input: Where & { productId?: number | undefined },
  { days, until, group }: { days: Days; until: string; group: SalesGroup },
): RawBuilder<unknown> {
  const parts = partsOf(
    days,
    until,
    byMachine(group) ? 'MONTHS' : isWhole(ctx, input) ? 'ORGANISATIONS' : 'DAYS',
  )
  const where = within(ctx, input, 'r')
  const kind = group === 'HOUR' || group === 'PAY' ? group : 'DAY'
  const rows = ({ from, to, grain, folded }: Part) => {
    if (folded)
      return sql`select r.org_id, r.device_id, r.day, r.hour, r.pay_type, r.devices, ${figures}
        from sales_folds r where r.grain = ${grain === 'MONTH' ? grain : kind}
          and r.day >= ${from}::date and r.day <= ${to}::date
          and ${grain === 'DAY' && isAll(ctx, input) ? sql`r.org_id = 0` : where}`
    if (kind === 'PAY')
      return sql`select r.org_id, r.device_id, r.day, -1, r.pay_type, 0, ${figures}
        from pay_rollups r where r.day >= ${from}::date and r.day <= ${to}::date and ${where}`
    return sql`select r.org_id, r.device_id, ${day},
        ${kind === 'HOUR' ? sql`extract(hour from r.at at time zone 'Asia/Shanghai')::int` : sql`-1`},
        '', (r.orders > 0)::int, ${figures}
      from sales_rollups r where r.grain = ${kind} and r.at >= ${startOfDay(from)}
        and r.at < ${startOfDay(addDays(to, 1))} and ${where}`
  }
  const none = sql`select 0::bigint as org_id, 0::bigint as device_id, null::date as day,
    0 as hour, '' as pay_type, 0 as devices, 0 as orders, 0 as pieces, 0 as vended,
    0::bigint as turnover, 0::bigint as paid,
    0::bigint as refunded, 0 as refund_orders, 0::bigint as cost, 0::bigint as fee where false`
  // what falls to one product is kept by machine and day, and nowhere added up
  if (input.productId)
    return sql`${none} union all select r.org_id, r.device_id, r.day, -1, '', (r.orders > 0)::int,
        ${figures} from product_rollups r where r.product_id = ${input.productId} and ${where}
        and r.day >= ${days.from}::date and r.day <= ${days.to}::date`
  return sql.join([none, ...parts.map(rows)], sql` union all `)
}

const goodsFigures = sql.raw(
  [
    ...['orders', 'pieces', 'vended', 'turnover', 'paid', 'refunded', 'refund_orders'],
    ...['refunded_pieces', 'cost', 'fee'],
  ]
    .map((name) => `r.${name}`)
    .join(', '),
)
/** The same of goods; `chosen` says which of them. Who asks by machine reads each of them. */
export function productRows(
  ctx: Ctx,
  input: Where,
  { days, until, byDevice }: { days: Days; until: string; byDevice: boolean },
  chosen: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [one, whole] = [isAll(ctx, input), !byDevice && isWhole(ctx, input)]
  const rows = ({ from, to, grain, folded }: Part) => {
    const at = sql`r.day >= ${from}::date and r.day <= ${to}::date`
    return folded
      ? sql`select r.product_id, null::bigint as device_id, ${goodsFigures} from product_folds r
          where r.grain = ${grain} and ${at} and ${chosen}
            and ${grain === 'DAY' ? sql`r.org_id = 0` : within(ctx, input, 'r')}`
      : sql`select r.product_id, r.device_id, ${goodsFigures} from product_rollups r
          where ${at} and ${chosen} and ${within(ctx, input, 'r')}`
  }
  const parts = partsOf(days, until, !whole ? 'DAYS' : one ? 'ORGANISATIONS' : 'MONTHS')
  return sql.join(parts.map(rows), sql` union all `)
}
