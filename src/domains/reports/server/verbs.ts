import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, iso, may } from '../../../server/context.ts'
import { addDays, dayMs, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { provinceOf } from '../../../shared/provinces.ts'
import { regionName } from '../../../shared/regions.ts'
import type { reports } from '../contract.ts'
import { hoursOfToday, lastDays, sameTimeYesterday, totalAt } from '../rules.ts'
import * as q from './queries.ts'

type H = Handlers<typeof reports>

const pointLimit = 2000

/** Hides amounts from readers without `dashboard:money`. */
const moneyOf = (ctx: Ctx) => {
  const shown = may(ctx, 'dashboard:money')
  return {
    one: (fen: number) => (shown ? fen : null),
    many: (fen: number[]) => (shown ? fen : null),
    sums: (rows: readonly q.SalesRow[]) => ({
      orders: add(rows, 'orders'),
      turnover: shown ? add(rows, 'turnover') : null,
      paid: shown ? add(rows, 'paid') : null,
      refunded: shown ? add(rows, 'refunded') : null,
    }),
  }
}
const add = (
  rows: readonly q.SalesRow[],
  key: 'orders' | 'turnover' | 'paid' | 'refunded' | 'refundOrders',
) => rows.reduce((sum, row) => sum + row[key], 0)

/** The rows of each instant, in their order; an instant without sales has none. */
const spread = (rows: readonly q.SalesRow[], at: readonly Date[]): q.SalesRow[][] => {
  const known = new Map(rows.map((row) => [row.at.getTime(), row]))
  return at.map((instant) => known.get(instant.getTime())).map((row) => (row ? [row] : []))
}

const daily = (ctx: Ctx, days: readonly string[]) =>
  q.salesByInstant(
    ctx,
    'DAY',
    startOfDay(days[0] as string),
    startOfDay(addDays(days.at(-1) as string, 1)),
  )

const summary: H['summary'] = async (ctx) => {
  const money = moneyOf(ctx)
  const today = startOfDay(shanghaiDay(ctx.now))
  const yesterday = sameTimeYesterday(ctx.now)
  const dayStarts = lastDays(ctx.now, 30).map(startOfDay)
  const [first] = dayStarts as [Date]
  const ever = ctx.actor.scope.all ? await q.daysOfAll(ctx, first) : null
  const total =
    ever ?? (await q.salesByInstant(ctx, 'TOTAL', totalAt, new Date(totalAt.getTime() + 1)))
  const days = ever?.filter(({ at }) => at >= first) ?? (await daily(ctx, lastDays(ctx.now, 30)))
  const hours = await q.salesByInstant(
    ctx,
    'HOUR',
    yesterday.from,
    new Date(today.getTime() + dayMs),
  )
  const before = hours.filter((row) => row.at < yesterday.hour)
  const partHour = await q.paidBetween(ctx, yesterday.hour, yesterday.until)
  const perHour = spread(hours, hoursOfToday(ctx.now))
  const perDay = spread(days, dayStarts)
  return {
    asOf: iso(ctx.now),
    hasScope: ctx.actor.scope.devices === null || ctx.actor.scope.devices.length > 0,
    today: {
      ...money.sums(perDay.at(-1) ?? []),
      before: {
        orders: add(before, 'orders') + partHour.orders,
        turnover: money.one(add(before, 'turnover') + partHour.turnover),
      },
      hours: {
        orders: perHour.map((rows) => add(rows, 'orders')),
        turnover: money.many(perHour.map((rows) => add(rows, 'turnover'))),
      },
    },
    total: {
      orders: add(total, 'orders'),
      turnover: money.one(add(total, 'turnover')),
      last30: money.sums(days),
      days: {
        orders: perDay.map((rows) => add(rows, 'orders')),
        turnover: money.many(perDay.map((rows) => add(rows, 'turnover'))),
      },
    },
    todos: await todos(ctx, lastDays(ctx.now, 30)),
  }
}

/** Each figure is guarded by its own code; one statement serves machines and lanes. */
async function todos(ctx: Ctx, days: readonly string[]) {
  const [seesDevices, seesStock] = [may(ctx, 'device:read'), may(ctx, 'stock:read')]
  const device = seesDevices || seesStock ? await q.deviceTodos(ctx) : null
  return {
    devices: device && seesDevices ? device.devices : null,
    abnormal: may(ctx, 'order:read')
      ? await q.abnormalTodos(ctx, days[0] as string, days.at(-1) as string)
      : null,
    soldOut: device && seesStock ? device.soldOut : null,
    faults: may(ctx, 'fault:read') ? await q.faultTodos(ctx) : null,
    recon: may(ctx, 'recon:read') ? await q.reconTodos(ctx) : null,
  }
}

const trend: H['trend'] = async (ctx, input) => {
  const money = moneyOf(ctx)
  const days = lastDays(ctx.now, input.days)
  const perDay = spread(await daily(ctx, days), days.map(startOfDay))
  return {
    asOf: iso(ctx.now),
    list: days.map((day, i) => ({
      day,
      ...money.sums(perDay[i] ?? []),
      refundOrders: add(perDay[i] ?? [], 'refundOrders'),
    })),
  }
}

const hotProducts: H['hotProducts'] = async (ctx, input) => {
  const money = moneyOf(ctx)
  const to = shanghaiDay(ctx.now)
  const from = addDays(to, 1 - input.days)
  const rows = await q.hotProducts(
    ctx,
    { fromBefore: addDays(from, -input.days), from, to },
    input.limit,
  )
  return { list: rows.map((row) => ({ ...row, turnover: money.one(row.turnover) })) }
}

/** Rollups know machines only; the online mall joins with its own domain. */
const channels: H['channels'] = async (ctx, input) => {
  const sums = moneyOf(ctx).sums(await daily(ctx, lastDays(ctx.now, input.days)))
  return { list: [{ channel: 'MACHINE' as const, ...sums }] }
}

const deviceMap: H['deviceMap'] = async (ctx, input) => {
  const region = input.level === 'province' ? undefined : input.region
  const rows = await q.mapRegions(ctx, input.level === 'province' ? 'province' : 'city', region)
  const sum = (key: 'total' | 'online' | 'soldOut' | 'fault' | 'offline' | 'unlocated') =>
    rows.reduce((n, row) => n + row[key], 0)
  return {
    total: sum('total'),
    unlocated: sum('unlocated'),
    states: {
      online: sum('online'),
      soldOut: sum('soldOut'),
      fault: sum('fault'),
      offline: sum('offline'),
    },
    regions:
      input.level === 'point'
        ? []
        : rows.flatMap(({ unlocated: _, ...row }) =>
            row.total ? [{ ...row, ...names(row.code) }] : [],
          ),
    points: input.level === 'point' ? await q.mapPoints(ctx, region, pointLimit) : [],
  }
}

/** Provinces by the map file's short names; cities have a Chinese name only. */
function names(code: string): { name: string; nameEn: string } {
  const province = code.endsWith('0000') ? provinceOf(code) : undefined
  const name = province?.name ?? regionName(code) ?? code
  return { name, nameEn: province?.nameEn ?? name }
}

const attention: H['attention'] = async (ctx, input) => {
  const rows = await q.attention(ctx, input.limit)
  return { list: rows.map(({ total, ...row }) => row), total: rows[0]?.total ?? 0 }
}

export const handlers: H = { summary, trend, hotProducts, channels, deviceMap, attention }
