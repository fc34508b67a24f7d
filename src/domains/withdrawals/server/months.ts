import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { keyFor } from '../../../server/secretBox.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { plainYuan } from '../../../shared/money.ts'
import { mostAMonth, withdrawalErrors } from '../rules.ts'

/**
 * A person gets so much a month by WeChat, whoever of the organisation's referrers he is: what counts
 * is the account that is paid. What went back in the meantime may be asked for again.
 */
export const payeeHash = (app: App, account: string): Buffer =>
  createHmac('sha256', keyFor(app.config, 'withdrawals.payee')).update(account).digest()
export const monthOf = (now: Date): string => `${shanghaiDay(now).slice(0, 7)}-01`

type Counted = { orgId: number; payee: Buffer; month: string; amount: number }
export async function takeMonth(ctx: Ctx, { orgId, payee, month, amount }: Counted): Promise<void> {
  const { rows } = await sql`insert into referrer_months as m (org_id, payee, month, amount)
    select ${orgId}::bigint, ${payee}::bytea, ${month}::date, ${amount}::bigint
    where ${amount}::bigint <= ${mostAMonth}::bigint
    on conflict (org_id, payee, month) do update set amount = m.amount + excluded.amount
    where m.amount + excluded.amount <= ${mostAMonth}::bigint returning 1`.execute(ctx.db)
  if (!rows.length) throw new Refusal(withdrawalErrors.monthFull, { n: plainYuan(mostAMonth) })
}
/** Of a withdrawal that is not paid; of most of them nothing was counted. */
export const giveMonth = (ctx: Ctx, id: number): Promise<unknown> =>
  sql`update referrer_months m set amount = m.amount - w.amount from withdrawals w
    where w.id = ${id} and m.org_id = w.org_id and m.payee = w.payee_hash
      and m.month = w.payee_month`.execute(ctx.db)
