import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { clock, type Ending, type Kind, type Piece } from '../../../server/work.ts'
import { platformOrg } from '../../../shared/access.ts'
import { yuan } from '../../../shared/money.ts'
import { bi } from '../../../shared/text.ts'
import { post } from '../../ledger/server/post.ts'
import { notify } from '../../notices/server/notify.ts'
import {
  retry,
  type TransferAnswer,
  type TransferRequest,
  type Transfers,
} from '../../payment-channels/server/channels.ts'
import { connectedTo } from '../../payment-channels/server/configs.ts'
import type { Method } from '../../payout-accounts/rules.ts'
import { openPayee } from '../../payout-accounts/server/accounts.ts'
import { raiseSecurity } from '../../security/server/raise.ts'
import { confirmHours, givenBack, paidOut, queryWaits } from '../rules.ts'
import { giveMonth } from './months.ts'
import { simulatedTransfers } from './simulator.ts'

/**
 * A withdrawal is paid by its channel under its own number, at every attempt: asked after first, so
 * that what an earlier attempt did is known before another one is made. Money goes back only when
 * the channel has said that it pays nothing; what is unclear stays on its way until it is clear.
 */

export const transfersName = 'withdrawals'

export type Due = Piece & {
  id: number
  orgId: number
  referrerId: number | null
  no: string
  round: number
  amount: number
  method: Method
  holder: string
  account: Buffer
  provider: 'SIMULATOR' | 'WECHAT' | 'ALIPAY'
  configId: number | null
  requestedBy: number
  confirmUntil: Date | null
}

async function transfersOf(app: App, { provider, configId }: Due): Promise<Transfers | null> {
  if (provider === 'SIMULATOR') return simulatedTransfers(app)
  const connected = configId === null ? null : await connectedTo(app, configId)
  return connected?.channel.transfers ?? null
}

/** One attempt: what became of the ones before, else the transfer itself. */
export async function attempt(app: App, due: Due): Promise<TransferAnswer> {
  const { method, confirmUntil } = due
  if (method === 'BANK') return retry('paid by hand')
  const transfers = await transfersOf(app, due)
  if (!transfers) return retry('merchant is not known')
  const request: TransferRequest = {
    transferNo: due.no,
    amount: due.amount,
    method,
    ...openPayee(app, due),
    subject: `提现 ${due.no}`,
  }
  const before = await transfers.query(request)
  if (before.state === 'ABSENT') return transfers.pay(request)
  // the answer that said what his page asks got lost: it is said again under the number, paid once
  if (before.state === 'CONFIRM' && confirmUntil === null) return transfers.pay(request)
  if (before.state === 'CONFIRM' && confirmUntil !== null && confirmUntil <= app.now()) {
    await transfers.cancel(request)
    const after = await transfers.query(request)
    return after.state === 'ABSENT' ? retry('not known any more') : after
  }
  return before
}

export const transferKind = (app: App): Kind<Due, TransferAnswer> => ({
  name: transfersName,
  table: 'withdrawals',
  begins: sql`state = case when state = 'APPROVED' then 'PAYING' else state end`,
  reads: sql`t.id, t.org_id as "orgId", t.referrer_id as "referrerId", t.withdrawal_no as no, t.round, t.amount, t.method,
    t.holder, t.account, t.provider, t.config_id as "configId", t.requested_by as "requestedBy",
    t.confirm_until as "confirmUntil", t.attempts - t.waited as "countedTries"`,
  atOnce: 4,
  leaseSeconds: 120,
  waits: queryWaits,
  most: 10_000,
  // under way is asked after, ever less often
  async do(due) {
    const answer = await attempt(app, due)
    return answer.state === 'PROCESSING' ? retry(answer.state) : answer
  },
  mark: (ctx, due, to) => mark(ctx, due, to),
})

async function mark(ctx: Ctx, due: Due, to: Ending<TransferAnswer>): Promise<void> {
  if (to.state === 'SUCCESS') return paid(ctx, due, to.transferNo)
  if (to.state === 'DENIED') return denied(ctx, due, to.reason)
  // the payee has a day; asked again when the lease ends, which is no try
  if (to.state === 'CONFIRM') {
    const { rows } = await sql`update withdrawals
      set state = 'CONFIRMING', waited = waited + 1, version = version + 1,
        confirm_package = coalesce(nullif(${to.package ?? ''}, ''), confirm_package),
        confirm_until = coalesce(confirm_until, ${ctx.now}::timestamptz
          + make_interval(hours => ${confirmHours}))
      where ${due.ours} and state in ('PAYING','CONFIRMING') returning 1`.execute(ctx.db)
    if (rows.length && due.confirmUntil === null)
      await tell(
        ctx,
        due,
        bi('提现待收款人在微信中确认', 'The payee has to confirm a withdrawal in WeChat'),
      )
    ctx.touch('withdrawals', due.orgId)
    return
  }
  const reason = 'reason' in to ? to.reason : ''
  const { rows } = await sql`update withdrawals set next_at = ${to.nextAt}, last_error = ${reason}
    where ${due.ours} and state in ('PAYING','CONFIRMING')
    returning 1`.execute(ctx.db)
  ctx.touch('withdrawals', due.orgId)
  // nobody knows what became of it: it is nobody's to pay again
  if (to.state === 'FAILED' && rows.length)
    await raiseSecurity(ctx, {
      orgId: platformOrg,
      kind: 'PAYMENT_CHANNEL',
      subject: due.no,
      detail: { why: 'TRANSFER', amount: due.amount, reason },
    })
}

const link = '/finance/billing-details/withdrawals'

async function paid(ctx: Ctx, due: Due, transferNo: string): Promise<void> {
  const { rows } = await sql`update withdrawals set state = 'PAID', paid_at = ${ctx.now},
      transfer_no = ${transferNo}, next_at = null, last_error = null, confirm_until = null, confirm_package = '',
      version = version + 1
    where id = ${due.id} and state in ('PAYING','CONFIRMING') returning 1`.execute(ctx.db)
  if (!rows.length) return
  const { configId } = due
  post(ctx, [paidOut(due, { account: '1001', payer: platformOrg, configId })])
  await tell(ctx, due, bi('提现已到账', 'A withdrawal was paid'))
}

async function denied(ctx: Ctx, due: Due, reason: string): Promise<void> {
  const { rows } = await sql`update withdrawals set state = 'FAILED', returned_at = ${ctx.now},
      reason = ${reason}, next_at = null, last_error = null, confirm_until = null, confirm_package = '',
      version = version + 1
    where ${due.ours} and state in ('PAYING','CONFIRMING') returning 1`.execute(ctx.db)
  if (!rows.length) return
  await giveMonth(ctx, due.id)
  post(ctx, [givenBack(due)])
  await tell(ctx, due, bi('提现打款失败', 'A withdrawal failed'))
}

export async function tell(
  ctx: Ctx,
  due: Pick<Due, 'no' | 'amount' | 'requestedBy' | 'orgId'>,
  title: string,
): Promise<void> {
  const text = `${due.no} · ${yuan(due.amount)}`
  await notify(ctx, {
    kind: 'SYSTEM',
    userIds: [due.requestedBy],
    title,
    body: bi(text, text),
    link: `${link}?withdrawalNo=${due.no}`,
  })
  ctx.touch('withdrawals', due.orgId)
}

/** A notice of the channel only wakes who asks it; its word alone moves nothing. */
export async function transferHeard(ctx: Ctx, no: string, configId: number): Promise<void> {
  await sql`update withdrawals set next_at = ${clock(ctx.app)}
    where withdrawal_no = ${no} and config_id = ${configId}
      and state in ('PAYING','CONFIRMING')`.execute(ctx.db)
  ctx.afterCommit(() => ctx.app.jobs.poke(transfersName))
}
