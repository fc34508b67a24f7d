import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, visible } from '../../../server/context.ts'
import { rowOf, rowsOf } from '../../../server/rows.ts'
import { dayOfOrderNumber } from '../../../shared/ids.ts'
import { addDays, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { dayTypesOf } from '../../settings/server/calendar.ts'
import type { splits } from '../contract.ts'
import { type Calendar, calendarDays, type Settlement } from '../settlementContract.ts'
import {
  bankDayAfter,
  calendarOf,
  type Due,
  type Standing,
  stepsOf,
  type Times,
} from '../timeline.ts'
import { partyId } from './facts.ts'

type Contract = typeof splits
/** The longest row of holidays, and some. */
const ahead = 21

type Split = Times &
  Pick<Settlement['splits'][number], 'id' | 'splitNo' | 'strategyName' | 'versionNo' | 'shares'> & {
    standing: Standing | null
  }
/** The way of an order's money to its parties: those of its splits that are seen. */
export const settlementOf = (ctx: Ctx, orderNum: string, finalAt: Date | null): Promise<Split[]> =>
  rowsOf<Split>(ctx.db)`
    select s.id, s.split_no as "splitNo", t.name as "strategyName", v.version_no as "versionNo",
      s.mode, s.state, s.paid, s.created_at as "paidAt", ${finalAt}::timestamptz as "finalAt",
      s.accrued_at as "accruedAt", s.due_at as "dueAt", s.done_at as "doneAt",
      h.given, h.returned, h.shares,
      case when s.fail_reason is not null then s.fail_reason
        when s.state = 'WAIT' then 'VEND'
        when s.state = 'READY' and s.due_at is null then 'MANUAL'
        when s.state = 'READY' and s.due_at > ${ctx.now} then 'DUE'
        when s.state in ('READY','SPLITTING','PARTIAL','RETURNING') and s.mode <> 'LEDGER'
          then 'CHANNEL' end as standing
    from split_orders s join split_strategies t on t.id = s.strategy_id
    join split_strategy_versions v on v.id = s.version_id
    cross join lateral (select coalesce(sum(h.given), 0)::bigint as given,
        coalesce(sum(h.returned), 0)::bigint as returned,
        coalesce(jsonb_agg(jsonb_build_object('orgId', h.party_org_id,
          'referrerId', h.referrer_id, 'name', p.name,
          'isCollector', h.is_collector, 'given', h.given, 'returned', h.returned,
          'netted', h.netted, 'debt', coalesce((select sum(b.rest) from split_debts b
            where b.split_id = s.id and ${partyId('b')} = ${partyId('h')}), 0))
          order by h.party_no), '[]') as shares
      from split_shares h join split_parties p on p.version_id = s.version_id
        and p.party_no = h.party_no where h.split_id = s.id) h
    where s.order_num = ${orderNum} and ${visible(ctx, 's.org_id', 's.device_id')}
    order by s.id`

export const settlement: Handlers<Contract>['settlement'] = async (ctx, { orderNum }) => {
  const day = dayOfOrderNumber(orderNum)
  // the day in the number finds its partition
  const order = found(
    Number.isNaN(Date.parse(day))
      ? undefined
      : await rowOf<Omit<Settlement, 'splits'> & { finalAt: Date | null }>(ctx.db)`
          select o.order_num as "orderNum", o.rtu_number as "rtuNumber", g.name as "orgName",
            o.paid_amount as paid, o.refunded_amount as refunded, o.final_at as "finalAt"
          from orders o join organisations g on g.id = o.org_id
          where o.order_num = ${orderNum} and o.created_at >= ${startOfDay(day)}
            and o.created_at < ${startOfDay(addDays(day, 1))}
            and ${visible(ctx, 'o.org_id', 'o.device_id')}`,
  )
  const { finalAt, ...said } = order
  const rows = await settlementOf(ctx, orderNum, finalAt)
  const known = await bankDays(ctx, rows)
  return {
    ...said,
    splits: rows.map((row) => {
      const { id, splitNo, strategyName, versionNo, mode, state, standing, shares } = row
      const stations = stepsOf(row, ctx.now, shanghaiDay, known)
      return {
        ...{ id, splitNo, strategyName, versionNo, mode, state, standing, shares },
        steps: stations,
      }
    }),
  }
}

/** The days behind the latest of the times at which money of them is settled. */
async function bankDays(ctx: Ctx, rows: readonly Times[]) {
  const settled = rows.flatMap(({ doneAt, dueAt }) => doneAt ?? dueAt ?? [])
  if (!settled.length) return new Map()
  const times = settled.map((at) => at.getTime())
  const [first, last] = [new Date(Math.min(...times)), new Date(Math.max(...times))]
  return dayTypesOf(ctx.db, shanghaiDay(first), addDays(shanghaiDay(last), ahead))
}

const mostParties = 100
/** A line for each party and day at most, and changes of the last minute. */
const dues = (ctx: Ctx, orgId: number | undefined, from: string, to: string) =>
  sql`split_dues d where ${visible(ctx, 'd.org_id')} and ${ctx.actor.scope.devices === null}::boolean
    and (${orgId ?? null}::bigint is null or d.org_id = any(array(select b.id from organisations a
      join organisations b on b.path <@ a.path where a.id = ${orgId ?? null}::bigint)))
    and (not d.done or d.day >= ${from}::date) and (d.day is null or d.day <= ${to}::date)`

export const calendar: Handlers<Contract>['calendar'] = async (ctx, { orgId, day: asked }) => {
  const today = shanghaiDay(ctx.now)
  const shown = Array.from({ length: calendarDays }, (_, at) => addDays(today, at))
  const last = shown.at(-1) as string
  const from = addDays(today, -ahead)
  const [types, rows] = await Promise.all([
    dayTypesOf(ctx.db, from, addDays(last, ahead)),
    rowsOf<Due>(ctx.db)`select to_char(d.day, 'YYYY-MM-DD') as day, d.done,
        d.mode <> 'LEDGER' as channel, sum(d.amount)::bigint as amount
      from ${dues(ctx, orgId, from, last)} group by 1, 2, 3`,
  ])
  const sums = calendarOf(rows, shown, types)
  const first = sums.days.find((one) => one.ledger || one.channel || one.arrives)
  const day = asked && shown.includes(asked) ? asked : (first?.day ?? today)
  // whose money comes to the bank on it, and when that was due; what is overdue as if it were today
  const due = [...types.keys()].filter((one) => bankDayAfter(types, one) === day)
  const late = due.includes(today)
  const parties = await rowsOf<Calendar['parties'][number]>(ctx.db)`
    select * from (select d.org_id as "orgId", o.name,
        coalesce(sum(d.amount) filter (where d.day = ${day}::date and not channel), 0)::bigint
          as ledger,
        coalesce(sum(d.amount) filter (where d.day = ${day}::date and channel), 0)::bigint
          as channel,
        coalesce(sum(d.amount) filter (where channel and coming), 0)::bigint as arrives
      from (select d.*, d.mode <> 'LEDGER' as channel, case when d.day < ${today}::date
          and not d.done then ${late}::boolean else d.day = any(${due}::date[]) end as coming
        from ${dues(ctx, orgId, from, last)}) d
      join organisations o on o.id = d.org_id group by 1, 2) p
    where (ledger, channel, arrives) <> (0, 0, 0)
    order by ledger + channel + arrives desc, "orgId" limit ${mostParties + 1}`
  return {
    days: sums.days.map((one) => ({
      ...one,
      type: types.get(one.day)?.type ?? 'WORKDAY',
      name: types.get(one.day)?.name ?? '',
    })),
    overdue: sums.overdue,
    manual: sums.manual,
    day,
    parties: parties.slice(0, mostParties),
    more: parties.length > mostParties,
  }
}
