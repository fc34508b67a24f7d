import { sql } from 'kysely'
import { type App, type Ctx, found } from '../../../server/context.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import type { Ending, Kind, Piece } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { splitOut, type Voucher } from '../../ledger/rules.ts'
import { post } from '../../ledger/server/post.ts'
import { type ReleaseAnswer, retry } from '../../payment-channels/server/channels.ts'
import { openReceiver } from '../../payment-channels/server/sealedReceivers.ts'
import { paced, splitsOf } from '../../payment-channels/server/splitChannel.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { sendWaits, splitFrom, splitsName, stays } from '../rules.ts'
import { addDebts } from './accrue.ts'

/**
 * Shares that are due go to the channel: the amounts are written down first, then they are asked
 * for under one number at every try, and what the channel says of each receiver is booked. While a
 * split is on its way its order is not shared out anew: what it says stays so.
 */

const most = 200
/** Puts what is due on its way, at most so many orders; answers how many were looked at. */
export const beginDue = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const due = await rowsOf<{ id: number }>(ctx.db)`
      select o.id from split_orders o where o.state = 'READY' and o.mode = 'CHANNEL'
        and o.due_at <= ${ctx.now} and o.fail_reason is null and o.touched_at is null
        and exists (select from split_shares h where h.split_id = o.id and not h.is_collector
          and h.given > h.returned + h.netted)
      order by o.due_at limit ${most} for no key update skip locked`
    if (due.length)
      await begin(
        ctx,
        due.map(({ id }) => id),
        'READY',
      )
    return due.length
  })

/**
 * Held by the caller. Each share that is not paid yet gets its amount and its receiver; an order one
 * of whose parties has none waits and says so.
 */
export async function begin(
  ctx: Ctx,
  ids: readonly number[],
  from: 'READY' | 'PARTIAL',
): Promise<'NO_RECEIVER' | 'NOTHING' | 'SENT'> {
  const parts = await rowsOf<{
    splitId: number
    partyNo: number
    amount: number
    receiverId: number | null
    orgId: number
  }>(ctx.db)`
    select s.id as "splitId", h.party_no as "partyNo", s.org_id as "orgId",
      h.given - h.returned - h.netted as amount,
      (select r.id from split_receivers_of(s.org_id, s.config_id) r
        where r.party_org_id = h.party_org_id and r.state = 'REGISTERED') as "receiverId"
    from split_orders s join split_shares h on h.split_id = s.id
    where s.id = any(${[...ids]}::bigint[]) and not h.is_collector and h.state <> 'PAID'
      and h.given > h.returned + h.netted`
  const lacking = [
    ...new Set(parts.filter(({ receiverId }) => receiverId === null).map((one) => one.splitId)),
  ]
  if (!parts.length) return 'NOTHING'
  if (from === 'PARTIAL' && lacking.length) return 'NO_RECEIVER'
  const going = ids.filter((id) => !lacking.includes(id))
  if (lacking.length)
    ctx.later(sql`update split_orders set fail_reason = 'NO_RECEIVER', version = version + 1
      where id = any(${lacking}::bigint[])`)
  if (going.length) {
    ctx.later(sql`update split_orders set state = 'SPLITTING', ledger_by = null, fail_reason = null,
        version = version + 1
      where id = any(${going}::bigint[]) and state = any(${splitFrom('SPLITTING')}::text[])`)
    // a number that was answered is not used for another question
    ctx.later(sql`insert into split_requests (org_id, device_id, order_id, kind, split_id,
        request_no, config_id, next_at, created_at)
      select s.org_id, s.device_id, s.order_id, 'SPLIT', s.id,
        s.split_no || case when n.tries > 0 then '-' || n.tries + 1 else '' end, s.config_id,
        ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from split_orders s cross join lateral (
        select count(*) as tries from split_requests q where q.split_id = s.id) n
      where s.id = any(${going}::bigint[])`)
    const sent = parts.filter(({ splitId }) => going.includes(splitId))
    ctx.later(sql`update split_shares h set state = 'SENDING', sent = n.amount,
        receiver_id = n.receiver, fail_reason = null, sent_no = q.request_no
      from jsonb_to_recordset(${JSON.stringify(
        sent.map(({ splitId, partyNo, amount, receiverId }) => ({
          ...{ split: splitId, party: partyNo, amount, receiver: receiverId },
        })),
      )}::jsonb) as n(split bigint, party int, amount bigint, receiver bigint)
      join split_requests q on q.split_id = n.split and q.state = 'SENDING'
      where h.split_id = n.split and h.party_no = n.party`)
    ctx.afterCommit(() => ctx.app.jobs.poke(splitsName))
  }
  ctx.touch('splits', [...new Set(parts.map(({ orgId }) => orgId))])
  return going.length ? 'SENT' : 'NO_RECEIVER'
}

/**
 * What is over leaves the rest of its payment to the merchant; once for all shares of an order.
 * `unfrozen_at`: it was asked for, so that one whose channel is silent is in nobody's way.
 */
export const releaseDue = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const over = await rowsOf<{ orderId: number }>(ctx.db)`update split_orders s
      set unfrozen_at = ${ctx.now}
      from (select id from split_orders n where n.mode = 'CHANNEL' and n.unfrozen_at is null
          and n.state in ('DONE','CLOSED','RETURNING','RETURNED')
          and not exists (select from split_orders o where o.order_id = n.order_id
            and o.mode = 'CHANNEL' and o.state in ('WAIT','READY','SPLITTING','PARTIAL'))
        order by n.id limit ${most} for no key update skip locked) n
      where s.id = n.id returning s.order_id as "orderId"`
    if (!over.length) return 0
    ctx.later(sql`insert into split_requests (org_id, device_id, order_id, kind,
        request_no, config_id, next_at, created_at)
      select distinct on (s.order_id) s.org_id, s.device_id, s.order_id, 'RELEASE',
        s.order_num || '-F', s.config_id, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz
      from split_orders s
      where s.order_id = any(${over.map(({ orderId }) => orderId)}::bigint[])
        and s.mode = 'CHANNEL' order by s.order_id, s.id
      on conflict (order_id) where kind = 'RELEASE' do nothing`)
    ctx.afterCommit(() => ctx.app.jobs.poke(splitsName))
    return over.length
  })

type Due = Piece & {
  id: number
  orgId: number
  orderId: number
  splitId: number | null
  requestNo: string
  configId: number | null
  tradeNo: string | null
}
type Told = { partyNo: number; paid: boolean; reason: string | null }
type Answer =
  | { state: 'FINISHED'; splitNo: string; parts: Told[] }
  | { state: 'DENIED'; reason: string }
  | ReleaseAnswer

export const splitKind = (app: App): Kind<Due, Answer> => ({
  name: splitsName,
  table: 'split_requests',
  reads: sql`t.id, t.org_id as "orgId", t.order_id as "orderId", t.split_id as "splitId",
    t.request_no as "requestNo", t.config_id as "configId",
    (select p.provider_trade_no from payments p where p.order_id = t.order_id and p.applied)
      as "tradeNo"`,
  atOnce: 8,
  leaseSeconds: 120,
  waits: sendWaits,
  do: (due) => (due.splitId === null ? release(app, due) : send(app, due)),
  mark: (ctx, due, to) => (due.splitId === null ? markRelease(ctx, due, to) : mark(ctx, due, to)),
})

async function send(app: App, { splitId, requestNo, configId, tradeNo }: Due): Promise<Answer> {
  const splits = await splitsOf(app, configId)
  if (!splits || tradeNo === null) return retry('merchant is not known')
  const parts = await bySystem(
    app,
    (ctx) =>
      rowsOf<{
        partyNo: number
        kind: 'MERCHANT_ID' | 'PERSONAL_OPENID'
        account: Buffer
        configId: number | null
        orgId: number
        partyId: number
        amount: number
      }>(ctx.db)`
      select h.party_no as "partyNo", r.kind, r.account, r.config_id as "configId",
        r.org_id as "orgId", r.party_org_id as "partyId", h.sent as amount
      from split_shares h join split_receivers r on r.id = h.receiver_id
      where h.split_id = ${splitId} and h.state = 'SENDING' order by h.party_no`,
  )
  const open = parts.map(({ partyNo, kind, amount, account, ...place }) => ({
    ...{ partyNo, kind, amount, account: openReceiver(app, place, account) },
  }))
  await paced(app, configId)
  const answer = await splits.split({
    requestNo,
    tradeNo,
    subject: '分账',
    parts: open.map(({ partyNo: _, ...part }) => part),
  })
  if (answer.state === 'PROCESSING') return retry(answer.state)
  if (answer.state !== 'FINISHED') return answer
  const told = open.map(({ partyNo, account }): Told => {
    const part = found(answer.parts.find((one) => one.account === account))
    return {
      ...{ partyNo, paid: part.state === 'PAID' },
      reason: part.state === 'FAILED' ? part.reason.slice(0, 200) : null,
    }
  })
  return { state: 'FINISHED', splitNo: answer.splitNo, parts: told }
}

async function release(app: App, { requestNo, configId, tradeNo }: Due): Promise<Answer> {
  const splits = await splitsOf(app, configId)
  if (!splits || tradeNo === null) return retry('merchant is not known')
  await paced(app, configId)
  return splits.release({ requestNo, tradeNo })
}

/** Asked again later, or given up until a person asks: nobody knows what became of it. */
async function wait(ctx: Ctx, due: Due, to: Ending<Answer>): Promise<void> {
  const reason = 'reason' in to ? to.reason : ''
  const { rows } = await sql`update split_requests set next_at = ${to.nextAt},
      last_error = ${reason.slice(0, 200)}
    where ${due.ours} and state = 'SENDING' returning 1`.execute(ctx.db)
  if (to.state === 'FAILED' && rows.length) await tellOf(ctx, due.requestNo, 'SPLIT', reason)
  ctx.touch('splits', due.orgId)
}
export const tellOf = (ctx: Ctx, subject: string, why: string, reason: string) =>
  raiseSecurity(ctx, {
    ...{ orgId: platformOrg, kind: 'PAYMENT_CHANNEL', subject, detail: { why, reason } },
  })

async function markRelease(ctx: Ctx, due: Due, to: Ending<Answer>): Promise<void> {
  if (to.state !== 'RELEASED' && to.state !== 'DENIED') return wait(ctx, due, to)
  const done = to.state === 'RELEASED'
  await sql`update split_requests set state = ${done ? 'DONE' : 'FAILED'},
      done_at = ${done ? ctx.now : null}, last_error = ${done ? null : to.reason}, next_at = null
    where ${due.ours} and state = 'SENDING'`.execute(ctx.db)
  if (to.state === 'DENIED') await tellOf(ctx, due.requestNo, 'RELEASE', to.reason)
}

const heldOf = (ctx: Ctx, splitId: number | null) =>
  onlyRow<Held>(ctx.db)`select s.org_id as "orgId", s.order_id as "orderId",
      s.order_num as "orderNum", s.config_id as "configId", s.split_no as "splitNo",
      s.device_id as "deviceId", (select party_org_id from split_parties p
        where p.version_id = s.version_id and p.is_collector) as collector
    from split_orders s where s.id = ${splitId} for no key update`

/**
 * A share of which our books say that it was refused, and the channel's bill that it was paid under
 * this number: it is booked as if the channel had said so, about the day of the bill. Answers its voucher; null: there is no
 * such share, or it is less than that.
 */
export async function paidAfterAll(
  ctx: Ctx,
  { requestNo, partyNo }: { requestNo: string; partyNo: number | null },
  { amount, day }: { amount: number; day: string },
): Promise<string | null> {
  const request = await rowOf<{ splitId: number }>(ctx.db)`
    select split_id as "splitId" from split_requests where request_no = ${requestNo}
      and kind = 'SPLIT' and state = 'DONE'`
  if (!request) return null
  const { splitId } = request
  const order = await heldOf(ctx, splitId)
  const share = await rowOf<{ party: number }>(ctx.db)`update split_shares
    set state = 'PAID', sent = ${amount}, sent_no = ${requestNo}, fail_reason = null
    where split_id = ${splitId} and party_no = ${partyNo} and state in ('FAILED','LEDGER')
      and not is_collector and receiver_id is not null and party_org_id is not null
      and given >= ${amount} and sent_no = ${requestNo} returning party_org_id as party`
  if (!share) return null
  ctx.later(sql`update split_orders s set state = 'DONE', done_at = ${ctx.now}, fail_reason = null,
      version = version + 1
    where s.id = ${splitId} and s.state = 'PARTIAL' and not exists (select from split_shares h
      where h.split_id = s.id and h.state = 'FAILED')`)
  await book(ctx, splitId, order, [{ party: share.party, sent: amount }], day)
  ctx.touch('splits', order.orgId)
  return splitOut(order.splitNo, share.party, order, { owed: amount, debt: 0 }).key
}

type Held = Parameters<typeof splitOut>[2] & {
  orderNum: string
  splitNo: string
  deviceId: number
  collector: number
}
async function mark(ctx: Ctx, due: Due, to: Ending<Answer>): Promise<void> {
  if (to.state !== 'FINISHED' && to.state !== 'DENIED') return wait(ctx, due, to)
  const order = await heldOf(ctx, due.splitId)
  const { rows: ours } = await sql`update split_requests set state = 'DONE', done_at = ${ctx.now},
      channel_no = ${to.state === 'FINISHED' ? to.splitNo.slice(0, 64) : ''}, next_at = null,
      last_error = ${to.state === 'DENIED' ? to.reason : null}
    where ${due.ours} and state = 'SENDING' returning 1`.execute(ctx.db)
  if (!ours.length) return
  const shares = await rowsOf<{
    partyNo: number
    party: number
    sent: number
    personal: boolean
  }>(ctx.db)`
    select h.party_no as "partyNo", h.party_org_id as party, h.sent,
      r.kind = 'PERSONAL_OPENID' as personal
    from split_shares h join split_receivers r on r.id = h.receiver_id
    where h.split_id = ${due.splitId} and h.state = 'SENDING' order by h.party_no`
  const ends = shares.map((share) => {
    const told =
      to.state === 'FINISHED' ? to.parts.find(({ partyNo }) => partyNo === share.partyNo) : null
    const reason = told ? told.reason : to.state
    const becomes = told?.paid ? 'PAID' : stays(share.personal, reason) ? 'LEDGER' : 'FAILED'
    return { ...share, becomes, reason }
  })
  const paid = ends.filter(({ becomes }) => becomes === 'PAID')
  ctx.later(sql`update split_shares h set state = n.becomes, fail_reason = n.why,
      sent = case when n.becomes = 'LEDGER' then 0 else h.sent end
    from jsonb_to_recordset(${JSON.stringify(
      ends.map(({ partyNo, becomes, reason }) => ({
        ...{ no: partyNo, becomes },
        why: becomes === 'PAID' ? null : to.state === 'DENIED' ? to.reason : reason,
      })),
    )}::jsonb) as n(no int, becomes text, why text)
    where h.split_id = ${due.splitId} and h.party_no = n.no`)
  const whole = ends.every(({ becomes }) => becomes !== 'FAILED')
  ctx.later(sql`update split_orders set state = ${whole ? 'DONE' : 'PARTIAL'},
      done_at = ${whole ? ctx.now : null}, version = version + 1
    where id = ${due.splitId} and state = 'SPLITTING'`)
  await book(ctx, due.splitId as number, order, paid)
  ctx.touch('splits', due.orgId)
}

/** What went out was owed to them; what one is not owed any more, because of a refund, he owes. */
async function book(
  ctx: Ctx,
  splitId: number,
  order: Held,
  paid: readonly { party: number; sent: number }[],
  factDay?: string,
): Promise<void> {
  if (!paid.length) return
  const parties = paid.map(({ party }) => party).sort((a, b) => a - b)
  if (order.configId !== null)
    ctx.later(sql`insert into split_outs as o (org_id, config_id, amount)
      select n.party, ${order.configId}::bigint, n.sent
      from jsonb_to_recordset(${JSON.stringify(paid)}::jsonb) as n(party bigint, sent bigint)
      order by 1 on conflict (org_id, config_id) do update set amount = o.amount + excluded.amount`)
  const held = await rowsOf<{ party: number; owed: number }>(ctx.db)`
    select party, owed from ledger_hold(${parties}::bigint[])`
  const owed = new Map(held.map((row) => [row.party, row.owed]))
  const vouchers: Voucher[] = []
  for (const { party, sent } of paid) {
    const has = Math.min(sent, owed.get(party) ?? 0)
    const voucher = splitOut(order.splitNo, party, order, { owed: has, debt: sent - has })
    vouchers.push(factDay ? { ...voucher, factDay } : voucher)
    const { orgId, orderNum, deviceId, collector } = order
    if (sent > has)
      addDebts(ctx, [
        {
          ...{ id: null, facts: { orgId, orderNum, deviceId }, splitId },
          ...{ refundNo: null, collector, party, amount: sent - has, rest: sent - has },
        },
      ])
  }
  post(ctx, vouchers)
}
