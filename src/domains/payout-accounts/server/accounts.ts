import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'
import type { Method } from '../rules.ts'

/** Numbers at rest, bound to whose they are and how they are paid. */
type Place = { orgId: number; method: Method }
const placeOf = ({ orgId, method }: Place) => `payout_accounts.account|${orgId}|${method}`
const use = 'payout.accounts'
export const sealAccount = (app: Pick<App, 'config'>, place: Place, account: string): Buffer =>
  sealSecret(app.config, use, placeOf(place), account)
export const openAccount = (app: Pick<App, 'config'>, place: Place, account: Buffer): string =>
  openSecret(app.config, use, placeOf(place), account)

export type Payee = {
  id: number
  method: Method
  holder: string
  bankName: string
  account: Buffer
  accountNo: string
  changedAt: Date
}
/** An account of this organisation as it is now; whoever changes it meanwhile waits. */
export const payeeOf = (ctx: Ctx, orgId: number, id: number): Promise<Payee | undefined> =>
  rowOf<Payee>(ctx.db)`select a.id, a.method, a.holder, a.bank_name as "bankName", a.account,
      a.account_no as "accountNo", a.changed_at as "changedAt"
    from payout_accounts a where a.id = ${id} and a.org_id = ${orgId} and a.removed_at is null
    for share`

/** Of the own organisation, locked: accounts are few and seldom change. */
export const lockOrg = (ctx: Ctx, orgId: number) =>
  rowOf<{ name: string; status: string }>(ctx.db)`
    select name, status from organisations where id = ${orgId} for share`
export const accountsOf = async (ctx: Ctx, orgId: number): Promise<number> =>
  (
    await onlyRow<{ n: number }>(ctx.db)`select count(*)::int as n from payout_accounts
      where org_id = ${orgId} and removed_at is null`
  ).n
export const hold = (orgId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`payout accounts ${orgId}`}, 0))`
