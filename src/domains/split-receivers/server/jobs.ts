import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { clock, type Ending, type Kind, type Piece } from '../../../server/work.ts'
import { type RegisterAnswer, retry } from '../../payment-channels/server/channels.ts'
import { openReceiver } from '../../payment-channels/server/sealedReceivers.ts'
import { splitsOf } from '../../payment-channels/server/splitChannel.ts'
import type { Held } from './queries.ts'

export const receiversName = 'split-receivers'
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
  if (rows.length && isKnown)
    // those that waited for it
    ctx.later(sql`update split_orders s set fail_reason = null, version = s.version + 1
      where s.state = 'READY' and s.fail_reason = 'NO_RECEIVER'
        and s.config_id is not distinct from ${due.configId}::bigint
        and exists (select from split_shares h where h.split_id = s.id
          and h.party_org_id = ${due.partyId})`)
  ctx.touch('split-receivers', due.orgId)
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
