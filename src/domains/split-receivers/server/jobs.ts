import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, type Ending, type Kind, type Piece } from '../../../server/work.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { type RegisterAnswer, retry } from '../../payment-channels/server/channels.ts'
import { openReceiver } from '../../payment-channels/server/sealedReceivers.ts'
import { splitsOf } from '../../payment-channels/server/splitChannel.ts'
import { receiversName } from '../rules.ts'
import type { Held } from './queries.ts'

type Due = Piece & Held & { id: number; state: string; account: Buffer; version: number }
type Answer = RegisterAnswer | { state: 'GONE' }

/** Makes the channel know a receiver, or forget one. */
export const receiverKind = (app: App): Kind<Due, Answer> => ({
  name: receiversName,
  table: 'split_receivers',
  reads: sql`t.id, t.org_id as "orgId", t.party_org_id as "partyId", t.config_id as "configId",
    t.provider, t.kind, t.relation, t.holder, t.account, t.state, t.version`,
  atOnce: 2,
  leaseSeconds: 60,
  waits: [10, 60, 600, 3600, 14_400],
  async do(due) {
    const splits = await splitsOf(app, due.configId)
    if (!splits) return retry('merchant is not known')
    const receiver = {
      registerNo: `RCV${due.id}V${due.version}`,
      ...{ kind: due.kind, relation: due.relation },
      account: openReceiver(app, due, due.account),
      holder: openReceiver(app, due, due.holder),
    }
    return due.state === 'REMOVED' ? splits.unregister(receiver) : splits.register(receiver)
  },
  mark,
})

async function mark(ctx: Ctx, due: Due, to: Ending<Answer>): Promise<void> {
  const isKnown = to.state === 'REGISTERED'
  const reason = 'reason' in to ? to.reason.slice(0, 200) : null
  // one that was changed meanwhile is asked for anew; silence of the channel takes nothing back
  const { rows } = await sql`update split_receivers set next_at = ${
    to.state === 'RETRY' ? to.nextAt : null
  }, last_error = ${reason}, checked_at = ${ctx.now},
      state = case when state = 'REMOVED' then state when ${isKnown} then 'REGISTERED'
        when ${to.state === 'DENIED'} or ${to.state === 'FAILED'} and state = 'NEW' then 'FAILED'
        else state end,
      return_consent = case when ${isKnown} and kind = 'MERCHANT_ID'
        then coalesce(${isKnown ? to.returnConsent : null}::boolean, return_consent)
        else return_consent end
    where ${due.ours} and version = ${due.version} returning 1`.execute(ctx.db)
  if (rows.length && isKnown && due.state !== 'REGISTERED') await tellParty(ctx, due)
  if (rows.length && isKnown)
    // those that waited for it
    ctx.later(sql`update split_orders s set fail_reason = null, version = s.version + 1
      where s.state = 'READY' and s.fail_reason = 'NO_RECEIVER'
        and s.config_id is not distinct from ${due.configId}::bigint
        and exists (select from split_shares h where h.split_id = s.id
          and h.party_org_id = ${due.partyId})`)
  ctx.touch('split-receivers', due.orgId)
}

/** Whose money it is hears where it goes from now on: somebody else, who collects it, said so. */
async function tellParty(ctx: Ctx, { id, partyId }: Due): Promise<void> {
  const { account, collector, merchant } = await onlyRow<{
    account: string
    collector: string
    merchant: string
  }>(ctx.db)`select r.account_no as account, o.name as collector,
      coalesce(c.merchant_name, '') as merchant
    from split_receivers r join organisations o on o.id = r.org_id
    left join payment_configs c on c.id = r.config_id where r.id = ${id}`
  const by = merchant ? `${collector} · ${merchant}` : collector
  await notify(ctx, {
    kind: 'SYSTEM',
    permission: 'payout-account:update',
    orgId: partyId,
    title: bi('已登记本机构的分账接收方', 'Where your shares are paid was registered'),
    body: bi(
      `${by} 将通过支付通道把分账款付至 ${account}。如非本机构账户，请立即联系平台。`,
      `${by} will pay your shares to ${account}. If this is no account of yours, tell the platform at once.`,
    ),
  })
}

/** Every morning the channel is told again whom it pays: what it has forgotten or refuses is seen. */
export const syncReceivers = (app: App): Promise<void> =>
  bySystem(app, async (ctx) => {
    await sql`update split_receivers set next_at = ${clock(app)}, attempts = 0
      where state in ('REGISTERED','FAILED') and next_at is null`.execute(ctx.db)
    ctx.afterCommit(() => app.jobs.poke(receiversName))
  })

export async function registerReceiverJobs(app: App): Promise<void> {
  app.jobs.work(receiverKind(app))
  await app.jobs.schedule('receiver-sync', '0 4 * * *', () => syncReceivers(app))
}
