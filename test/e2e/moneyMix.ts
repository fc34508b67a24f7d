import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Env } from './flow.ts'

/**
 * People who move money of parties while everything dies: refunds of what was shared out,
 * withdrawals that are approved or rejected, adjustments that leave a party with nothing, so that
 * its refunds become debts. Each act is asked for with one key until it is answered; what was
 * answered is kept here, outside.
 */
type Acts = { asked: number; done: Map<string, number>; refused?: Answer | null }
type Answer = { status: number; body: Record<string, unknown> }
const applicants = ['agent', 'finance']
/** So many of each, or the run says nothing. */
const leasts = {
  ...{ refunds: 10, requests: 4, approved: 2, rejected: 1, adjustments: 2 },
  ...{ back: 20, debts: 2, netted: 1 },
}

export async function moneyMix(env: Env, url: string) {
  const since = new Date()
  const kept = {
    refunds: { asked: 0, done: new Map() } as Acts,
    requests: { asked: 0, done: new Map() } as Acts,
    approved: { asked: 0, done: new Map() } as Acts,
    rejected: { asked: 0, done: new Map() } as Acts,
    adjustments: { asked: 0, done: new Map() } as Acts,
  }
  const rows = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {}) // PostgreSQL is killed as well
    await client.connect()
    try {
      await client.query(`select set_config('app.all', 'on', false)`)
      return (await client.query<T>(text, values)).rows
    } finally {
      await client.end()
    }
  }
  let over = false
  const tokens = new Map<string, string>()
  /** Again and again with the same key, until it is answered or all is over. */
  async function act(username: string, path: string, body: object): Promise<Answer | null> {
    const key = randomUUID()
    for (let tries = 0; tries < 200 && !(over && tries > 60); tries += 1) {
      try {
        let token = tokens.get(username)
        if (!token) {
          token = (await env.account(username)).token
          tokens.set(username, token)
        }
        const answer = await fetch(`${env.base}/api${path}`, {
          method: 'POST',
          headers: {
            authorization: token,
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(8000),
        })
        const said = (await answer.json()) as Record<string, unknown>
        if (answer.status < 500 && answer.status !== 429 && said.code !== 409005)
          return { status: answer.status, body: said }
      } catch {
        // it died under the question, or is not back yet
      }
      await sleep(250)
    }
    return null
  }
  let moved = 0
  const keep = (
    acts: Acts,
    answer: Answer | null,
    what: (body: Answer['body']) => [string, number],
  ) => {
    acts.asked += 1
    moved += 1
    if (answer?.status === 200) acts.done.set(...what(answer.body))
    else acts.refused = answer
    return answer?.status === 200
  }
  /** What is asked of the database in between may find it dead. */
  const tireless = async (work: () => Promise<void>, pause: number) => {
    while (!over) {
      await work().catch(() => {})
      await sleep(pause)
    }
  }

  /** Parties that an adjustment left with next to nothing: what they give back becomes a debt. */
  const emptied: number[] = []
  async function refund(): Promise<void> {
    const [one] = await rows<{ num: string }>(
      `select s.order_num as num from split_orders s where s.state in ('READY', 'DONE')
        and s.created_at >= now() - interval '3 days'
      order by exists (select from split_shares h where h.split_id = s.id
        and h.party_org_id = any($1)) desc, random() limit 1`,
      [Math.random() < 0.5 ? emptied : []],
    )
    if (!one) return
    const input = { all: true, reason: 'QUALITY' }
    const answer = await act('super', `/orders/${one.num}/refunds`, input)
    keep(kept.refunds, answer, () => [one.num, 1])
  }
  let requests = 0
  async function withdraw(username: string): Promise<void> {
    const [account] = await rows<{ id: number }>(
      `select a.id::int from payout_accounts a join users u on u.org_id = a.org_id
        where u.username = $1 and a.method = 'ALIPAY'`,
      [username],
    )
    const amount = 1000 + Math.floor(Math.random() * 4000)
    const asked = await act(username, '/finance/withdrawals', {
      amount,
      accountId: account?.id,
      remark: '',
    })
    const no = (body: Answer['body']): [string, number] => [String(body.withdrawalNo), amount]
    if (!keep(kept.requests, asked, no)) return
    const { id, version } = (asked as Answer).body as { id: number; version: number }
    requests += 1
    const agree = requests % 3 !== 2
    const answer = agree
      ? await act('admin', `/finance/withdrawals/${id}/approve`, { version })
      : await act('admin', `/finance/withdrawals/${id}/reject`, { version, reason: '资料不全' })
    keep(agree ? kept.approved : kept.rejected, answer, no)
  }
  /**
   * All but a little of what a party of late sales is owed; when refunds took that little before the
   * second person agrees, he is told so.
   */
  async function adjust(): Promise<void> {
    const [party] = await rows<{ id: number; amount: number }>(
      `select b.org_id::int as id, b.balance::int - 100 as amount from ledger_balances b
      where b.code = '2002' and b.balance > 200 and b.org_id <> 1
        and b.org_id not in (select org_id from users where username = any($1))
      order by (select max(h.split_id) from split_shares h where h.party_org_id = b.org_id
        and not h.is_collector) desc nulls last limit 1 offset floor(random() * 2)`,
      [applicants],
    )
    if (!party) return
    const { id: orgId, amount } = party
    const asked = await act('hanyujie', '/finance/adjustments', {
      ...{ debitOrgId: orgId, debitCode: '2002', creditOrgId: 1, creditCode: '1003' },
      ...{ amount, reason: '线下代付分账款，补记入账', images: [] },
    })
    if (asked?.status !== 200) {
      kept.adjustments.refused = asked
      return
    }
    const { id, version } = asked.body as { id: number; version: number }
    const answer = await act('super', `/finance/adjustments/${id}/approve`, { version })
    if (keep(kept.adjustments, answer, () => [String(id), amount])) emptied.push(orgId)
  }

  // as many as there may be
  await rows(`insert into settings (org_id, key, value) values (1, 'funds.withdrawalsPerDay', '10')
    on conflict (org_id, key) do update set value = excluded.value`)
  const people = [
    ...[1, 2, 3].map(() => tireless(refund, 200)),
    ...applicants.map((username) => tireless(() => withdraw(username), 500)),
    tireless(adjust, 1500),
  ]
  /** Those of the demo wait, and one at a time may. */
  const waiting = await rows<{ id: number; version: number }>(
    `select id::int, version from withdrawals where state = 'PENDING'`,
  )
  for (const one of waiting)
    await act('admin', `/finance/withdrawals/${one.id}/reject`, {
      version: one.version,
      reason: '资料不全',
    })

  /** What does not fit what was answered; null while something is still under way. */
  async function differs(): Promise<Record<string, unknown[]> | null> {
    const [open] = await rows<{ count: number }>(
      `select ((select count(*) from refunds where state in ('PENDING', 'PROCESSING'))
        + (select count(*) from withdrawals where state in ('APPROVED', 'PAYING') and provider is not null)
        + (select count(*) from split_orders s join orders o on o.org_id = s.org_id
            and o.created_at = s.order_at and o.id = s.order_id
            where s.touched_at is not null and o.final_at is not null))::int as count`,
    )
    if (open?.count) return null
    const paid = await rows<
      Record<'no' | 'state', string> & Record<'amount' | 'out' | 'back' | 'sent', number>
    >(
      `select w.withdrawal_no as no, w.state, w.amount::int, (select count(*)::int from
          ledger_voucher_keys k where k.key like 'wd:' || w.withdrawal_no || ':paid%') as out,
        (select count(*)::int from ledger_voucher_keys k
          where k.key like 'wd:' || w.withdrawal_no || ':back%') as back,
        (select coalesce(sum(t.amount), 0)::int from simulated_transfers t
          where t.withdrawal_no = w.withdrawal_no and t.state = 'SUCCESS') as sent
      from withdrawals w where w.requested_at >= $1`,
      [since],
    )
    const byNo = new Map(paid.map((one) => [one.no, one]))
    const refunds = await rows<{ num: string; fine: boolean }>(
      `select order_num as num, bool_and(state = 'SUCCESS') and count(*) = count(distinct unit_id)
          and sum(amount) = (select max(p.amount) from payments p where p.order_id = r.order_id
            and p.applied) as fine
      from refunds r where kind = 'UNIT' and order_num = any($1) group by order_num, order_id`,
      [[...kept.refunds.done.keys()]],
    )
    const given = new Set(refunds.filter(({ fine }) => fine).map(({ num }) => num))
    const booked = await rows<{ id: string; amount: number }>(
      `select j.id::text, max(e.amount)::int as amount from ledger_adjustments j
        join ledger_entries e on e.voucher_id = j.voucher_id
      where j.state = 'APPROVED' and j.created_at >= $1 group by 1`,
      [since],
    )
    const adjusted = new Map(booked.map(({ id, amount }) => [id, amount]))
    const missing = (done: Acts['done'], fits: (key: string, amount: number) => boolean) =>
      [...done].filter(([key, amount]) => !fits(key, amount))
    return {
      refunds: missing(kept.refunds.done, (num) => given.has(num)),
      requests: missing(kept.requests.done, (no, amount) => byNo.get(no)?.amount === amount),
      approved: missing(kept.approved.done, (no, amount) => byNo.get(no)?.sent === amount),
      rejected: missing(kept.rejected.done, (no) => byNo.get(no)?.state === 'REJECTED'),
      adjustments: missing(kept.adjustments.done, (id, amount) => adjusted.get(id) === amount),
      // no more requests than were made, and of each that is over the money went one way
      doubled: paid.length > kept.requests.asked ? [paid.length, kept.requests.asked] : [],
      paidTwice: paid.filter(
        ({ state, amount, out, back, sent }) =>
          out + back !== (state === 'PENDING' || state === 'APPROVED' ? 0 : 1) ||
          sent !== (out ? amount : 0),
      ),
    }
  }

  return {
    /** How many acts were answered. */
    moved: () => moved,
    async stop(): Promise<void> {
      over = true
      await Promise.all(people)
    },
    /** Waits until all that is under way has come to its end. */
    async agree(): Promise<void> {
      let found: Record<string, unknown[]> | null = null
      for (let second = 0; second < 150; second += 3) {
        found = await differs()
        if (found && Object.values(found).every((list) => list.length === 0)) break
        await sleep(3000)
      }
      assert.ok(found, 'refunds, withdrawals and shares come to an end')
      for (const [what, list] of Object.entries(found)) assert.deepEqual(list, [], what)
      const [shares] = await rows<Record<'back' | 'debts' | 'netted', number>>(
        `select (select count(*)::int from ledger_voucher_keys where key like 'sr:%'
            and created_at >= $1) as back,
          (select count(*)::int from split_debts where created_at >= $1) as debts,
          (select count(*)::int from ledger_voucher_keys where key like 'net:%'
            and created_at >= $1) as netted`,
        [since],
      )
      const counts: Record<string, number> = {
        ...Object.fromEntries(Object.entries(kept).map(([name, { done }]) => [name, done.size])),
        ...shares,
      }
      console.log(`        ${JSON.stringify(counts)} acknowledged and there`)
      for (const [name, least] of Object.entries(leasts))
        assert.ok((counts[name] ?? 0) >= least, `too few ${name}; refused: ${JSON.stringify(kept)}`)
    },
  }
}
