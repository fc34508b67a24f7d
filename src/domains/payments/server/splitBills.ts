import { type RawBuilder, sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock } from '../../../server/work.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import type { BadLine, SplitLine } from '../../payment-channels/server/channels.ts'
import { hashOf } from '../../payment-channels/server/sealedReceivers.ts'
import { returnsName, splitsName } from '../../splits/rules.ts'
import {
  type Account,
  begin,
  beginFetch,
  type Fetch,
  type Kept,
  ofAccount,
  type Sheet,
  written,
} from './bills.ts'
import { damagedShares } from './faults.ts'

/**
 * Bills of shares: what a channel paid on to receivers and brought back, by our numbers. Receivers are
 * kept as what finds them, never as their accounts.
 */
type Rows = AsyncIterable<SplitLine | BadLine> | Iterable<SplitLine | BadLine>

/**
 * Whether an account may have one: Alipay has none of its own, and of a merchant without receivers
 * there is nothing to ask. `provider` and `configId` are columns.
 */
export const mayHaveShares = (
  provider: RawBuilder<unknown>,
  configId: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`(${provider} <> 'ALIPAY' and exists (select from split_receivers r
  where r.config_id is not distinct from ${configId}))`

/** Rows of an account that name no provider: requests and returns. */
export const atConfig = (alias: string, { configId }: Account): RawBuilder<boolean> =>
  configId === null
    ? sql`${sql.ref(`${alias}.config_id`)} is null`
    : sql`${sql.ref(`${alias}.config_id`)} = ${configId}`

/**
 * A merchant may have shares of other businesses: what is of no payment and of no number of ours is
 * not kept.
 */
const sheet = (app: Pick<App, 'config'>): Sheet<SplitLine> => ({
  table: 'split_bills',
  store(ctx, account, day, { fetchNo }, lines) {
    const { orgId, provider, configId } = account
    const rows = lines.map(({ receiver, ...line }) => ({
      ...line,
      receiver: hashOf(app, receiver).toString('hex'),
    }))
    return sql`insert into split_bills as l (org_id, provider, config_id, day, kind, trade_no,
        request_no, channel_no, detail_no, receiver_hash, amount, state, at, times, fetch_no,
        created_at)
      select coalesce(q.org_id, b.org_id, ${orgId}), ${provider}, ${configId}::bigint, ${day}::date,
        n.kind, n."tradeNo", n."requestNo", n."channelNo", n."detailNo", decode(n.receiver, 'hex'),
        n.amount, n.state, n.at, n.times, ${fetchNo}, ${ctx.now}::timestamptz
      from (select distinct on (kind, "requestNo", receiver) *,
          count(*) over (partition by kind, "requestNo", receiver) as times
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(kind text, "tradeNo" text,
          "requestNo" text, "channelNo" text, "detailNo" text, receiver text, amount bigint,
          state text, at timestamptz)
        order by kind, "requestNo", receiver) n
      left join split_requests q on q.request_no = n."requestNo" and ${atConfig('q', account)}
      left join split_returns b on b.return_no = n."requestNo" and ${atConfig('b', account)}
      where q.id is not null or b.id is not null
        or exists (select from payments p where ${ofAccount('p', account)}
          and p.provider_trade_no = n."tradeNo")
        or exists (select from payment_bills p where ${ofAccount('p', account)} and p.kind = 'PAY'
          and p.trade_no = n."tradeNo")
      order by n.kind, n."requestNo", n.receiver
      on conflict (provider, config_id, day, kind, request_no, receiver_hash) do update
        set org_id = excluded.org_id, trade_no = excluded.trade_no,
          channel_no = excluded.channel_no, detail_no = excluded.detail_no,
          amount = excluded.amount, state = excluded.state, at = excluded.at,
          fetch_no = excluded.fetch_no, times = excluded.times
            + case when l.fetch_no = excluded.fetch_no then l.times else 0 end`
  },
})

export async function keepShares(
  app: App,
  account: Account,
  day: string,
  rows: Rows,
  begun?: Fetch,
): Promise<Kept> {
  const fetch = begun ?? (await beginFetch(app, account, day, false, 'SPLIT'))
  return written(sheet(app), account, day, rows, fetch, (act) => bySystem(app, act))
}
/** What somebody uploaded: all of it in the act, or the bill that was there. */
export async function replaceShares(
  ctx: Ctx,
  account: Account,
  day: string,
  rows: Rows,
): Promise<Kept> {
  const fetch = await begin(ctx, account, day, false, 'SPLIT')
  return written(sheet(ctx.app), account, day, rows, fetch, (act) => act(ctx))
}

/** What the bill has done and we still ask for is asked after now. */
export const wakeShares = (app: App, account: Account, day: string): Promise<void> =>
  bySystem(app, async (ctx) => {
    const done = (table: 'split_requests' | 'split_returns', no: string, kind: string) =>
      sql`update ${sql.table(table)} t set next_at = ${clock(app)} from split_bills l
        where ${ofAccount('l', account)} and l.day = ${day} and l.kind = ${kind}
          and l.state = 'SUCCESS' and l.request_no = ${sql.ref(`t.${no}`)} and t.state = 'SENDING'
          and ${atConfig('t', account)}`.execute(ctx.db)
    const paid = await done('split_requests', 'request_no', 'SPLIT')
    const came = await done('split_returns', 'return_no', 'RETURN')
    if (paid.numAffectedRows) ctx.afterCommit(() => app.jobs.poke(splitsName))
    if (came.numAffectedRows) ctx.afterCommit(() => app.jobs.poke(returnsName))
  })

/** The simulated channel's bill: of what it paid and brought back, under the numbers it was asked. */
export async function* simulatedShares(app: App, day: string): AsyncGenerator<SplitLine> {
  const [from, until] = [startOfDay(day), startOfDay(addDays(day, 1))]
  const rows = await app.database.snapshot(
    systemScope,
    (db) => rowsOf<Omit<SplitLine, 'state'>>(db)`
      select 'SPLIT' as kind, p.provider_trade_no as "tradeNo", n.no as "requestNo",
        'SIM' || n.no as "channelNo", '' as "detailNo", part->>'account' as receiver,
        (part->>'amount')::bigint as amount, n.created_at as at
      from simulated_splits n cross join jsonb_array_elements(n.body->'parts') part
      join split_requests q on q.request_no = n.no
      join payments p on p.order_id = q.order_id and p.applied
      where n.kind = 'SPLIT' and n.created_at >= ${from} and n.created_at < ${until}
        and part->>'state' = 'PAID' and part->>'amount' is not null
        and n.body->>'late' is distinct from 'true'
      union all
      select 'RETURN', p.provider_trade_no, n.no, 'SIM' || n.no, '', n.body->>'account',
        (n.body->>'amount')::bigint, n.created_at
      from simulated_splits n join split_returns b on b.return_no = n.no
      join split_orders s on s.id = b.split_id
      join payments p on p.order_id = s.order_id and p.applied
      where n.kind = 'RETURN' and n.created_at >= ${from} and n.created_at < ${until}
        and n.body->>'consents' = 'true' and n.body->>'account' is not null
        and n.body->>'late' is distinct from 'true'
      order by at, "requestNo", receiver`,
  )
  for (const row of rows) yield* damagedShares({ ...row, state: 'SUCCESS' })
  yield* damagedShares(null, day)
}
