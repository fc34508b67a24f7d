import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { shanghaiDay, startOfDay, startOfHour } from '../../../shared/instants.ts'
import type { Unit } from './rows.ts'

type Figure<K extends string> = {
  readonly orgId: number
  readonly deviceId: number
  readonly at: Date
} & { readonly [N in K]?: number }
const salesFigures = ['orders', 'pieces', 'vended', 'turnover', 'paid', 'refunded'] as const
const moreFigures = ['refundOrders', 'cost', 'fee'] as const
/**
 * What a sale, a piece that left or a refund adds to the figures; written in the same transaction,
 * last in the lock order.
 */
export type SalesDelta = Figure<(typeof salesFigures | typeof moreFigures)[number]> & {
  readonly payType: string
}
export type ProductDelta = Figure<
  (typeof salesFigures | typeof moreFigures)[number] | 'refundedPieces'
> & {
  readonly productId: number
}

/** `at` of the one TOTAL row of a machine. */
export const totalAt = new Date('2000-01-01T00:00:00Z')

type Key = readonly [name: string, column: string, type: string]
const countedFigures = /^(orders|pieces|vended|refund_orders|refunded_pieces)$/
const snake = (name: string) => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)
/** Adds rows to a table of figures: locked in the order of their keys. */
function adding(
  table: string,
  rows: readonly object[],
  keys: readonly Key[],
  figures: readonly string[],
  unique: string,
): RawBuilder<unknown> {
  const names = figures.map((name) => ({ name, column: snake(name) }))
  const types = names.map(
    ({ name, column }) => `"${name}" ${countedFigures.test(column) ? 'int' : 'bigint'}`,
  )
  return sql`${sql.raw(`insert into ${table} as r (${[...keys.map(([, column]) => column), ...names.map(({ column }) => column)].join(', ')})
    select ${keys.map(([name]) => `"${name}"`).join(', ')},
      ${names.map(({ name }) => `coalesce(sum("${name}"), 0)`).join(', ')}`)}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(${sql.raw(
      [...keys.map(([name, , type]) => `"${name}" ${type}`), ...types].join(', '),
    )})
    ${sql.raw(`group by ${keys.map((_, at) => at + 1).join(', ')} order by 2, 3, 4
    on conflict (${unique}) do update
    set ${names.map(({ column }) => `${column} = r.${column} + excluded.${column}`).join(', ')}`)}`
}
const whose: readonly Key[] = [
  ['orgId', 'org_id', 'bigint'],
  ['deviceId', 'device_id', 'bigint'],
]

const salesStatement = (deltas: readonly SalesDelta[]) =>
  adding(
    'sales_rollups',
    deltas.flatMap((delta) => [
      { ...delta, grain: 'HOUR', at: startOfHour(delta.at) },
      { ...delta, grain: 'DAY', at: startOfDay(shanghaiDay(delta.at)) },
      { ...delta, grain: 'TOTAL', at: totalAt },
    ]),
    [...whose, ['grain', 'grain', 'text'], ['at', 'at', 'timestamptz']],
    [...salesFigures, ...moreFigures],
    'device_id, grain, at, org_id',
  )
const paysStatement = (deltas: readonly SalesDelta[]) =>
  adding(
    'pay_rollups',
    deltas.map((delta) => ({ ...delta, day: shanghaiDay(delta.at) })),
    [...whose, ['day', 'day', 'date'], ['payType', 'pay_type', 'text']],
    [...salesFigures, ...moreFigures],
    'device_id, day, pay_type, org_id',
  )
const productsStatement = (deltas: readonly ProductDelta[]) =>
  adding(
    'product_rollups',
    deltas.map((delta) => ({ ...delta, day: shanghaiDay(delta.at) })),
    [...whose, ['productId', 'product_id', 'bigint'], ['day', 'day', 'date']],
    [...salesFigures, ...moreFigures, 'refundedPieces'],
    'device_id, product_id, day, org_id',
  )

/** The pieces of an order share its fee by what each was paid; the parts add up to the whole. */
export function feeParts(fee: number, paid: readonly number[]): number[] {
  const whole = paid.reduce((sum, fen) => sum + fen, 0)
  if (whole === 0) return paid.map(() => 0)
  let upto = 0
  return paid.map((fen) => {
    upto += fen
    return Math.floor((fee * upto) / whole) - Math.floor((fee * (upto - fen)) / whole)
  })
}

type Sold = Pick<Unit, 'productId' | 'listPrice' | 'paid' | 'unitNo'>
/** What the pieces of a paid order add to the figures of their goods. */
export function productsSold(
  of: Pick<ProductDelta, 'orgId' | 'deviceId' | 'at'>,
  units: readonly Sold[],
  fee: number,
): ProductDelta[] {
  const inOrder = units.toSorted((a, b) => a.unitNo - b.unitNo)
  const fees = feeParts(
    fee,
    inOrder.map(({ paid }) => paid),
  )
  return inOrder.map(({ productId, listPrice, paid }, at) => ({
    ...of,
    productId,
    orders: inOrder.findIndex((unit) => unit.productId === productId) === at ? 1 : 0,
    pieces: 1,
    turnover: listPrice,
    paid,
    fee: fees[at] ?? 0,
  }))
}

/** A day is added up an hour behind its end; what is written into it later is added up again. */
function again(
  ctx: Ctx,
  sales: readonly SalesDelta[],
  products: readonly ProductDelta[],
): RawBuilder<unknown>[] {
  const open = shanghaiDay(new Date(ctx.now.getTime() - 1_800_000))
  const past = <T extends Figure<never>>(rows: readonly T[]) =>
    rows.map((row) => ({ ...row, day: shanghaiDay(row.at) })).filter(({ day }) => day < open)
  const [late, goods] = [past(sales), past(products)]
  const days = late.map(({ day }) => day).sort()
  const orgs = [...new Set(late.map(({ orgId }) => orgId))]
  const statements = []
  if (late.length)
    statements.push(
      sql`select app_fold_sales(${days[0]}::date, ${days.at(-1)}::date, ${orgs}::bigint[])`,
    )
  if (goods.length) statements.push(sql`select app_fold_products(${JSON.stringify(goods)}::jsonb)`)
  return statements
}

/**
 * Machines before products, as everywhere: in one statement the database would choose the order,
 * and two acts could wait for each other.
 */
export function addFigures(
  ctx: Ctx,
  sales: readonly SalesDelta[],
  products: readonly ProductDelta[],
): void {
  if (sales.length) {
    ctx.later(salesStatement(sales))
    ctx.later(paysStatement(sales))
  }
  if (products.length) ctx.later(productsStatement(products))
  for (const statement of again(ctx, sales, products)) ctx.later(statement)
}
