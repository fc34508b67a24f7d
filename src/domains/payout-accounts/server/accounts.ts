import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'
import { openPhone } from '../../referrers/server/people.ts'
import type { Method } from '../rules.ts'

/** Numbers at rest, bound to whose they are and how they are paid. */
type Place = { orgId: number; method: Method; referrerId?: number | null }
const placeOf = ({ orgId, method, referrerId }: Place) =>
  `payout_accounts.account|${orgId}|${method}${referrerId ? `|${referrerId}` : ''}`
const use = 'payout.accounts'
type Keys = Pick<App, 'config'>
export const sealAccount = (app: Keys, place: Place, account: string): Buffer =>
  sealSecret(app.config, use, placeOf(place), account)
export const openAccount = (app: Keys, place: Place, account: Buffer): string =>
  openSecret(app.config, use, placeOf(place), account)

type Named = { account: string; holder: string }
/**
 * A person's name is sealed with his number: what stands beside it is its first letter. His phone at
 * WeChat is sealed by who bound it.
 */
export const sealPayee = (app: Keys, place: Place, { account, holder }: Named): Buffer =>
  sealAccount(app, place, place.referrerId ? `${account}\n${holder}` : account)
export function openPayee(app: Keys, row: Place & { account: Buffer; holder: string }): Named {
  const { orgId, referrerId, method } = row
  const text =
    referrerId && method === 'WECHAT'
      ? openPhone(app, { id: referrerId, orgId }, row.account)
      : openAccount(app, row, row.account)
  const [account = '', person] = text.split('\n')
  return { account, holder: person ?? row.holder }
}

export type Payee = {
  id: number
  method: Method
  holder: string
  bankName: string
  account: Buffer
  accountNo: string
  changedAt: Date
}
/** An account of this organisation, or of a referrer of hers, as it is now; whoever changes it meanwhile waits. */
export const payeeOf = (
  ctx: Ctx,
  { orgId, referrerId }: { orgId: number; referrerId: number | null },
  id: number,
): Promise<Payee | undefined> =>
  rowOf<Payee>(ctx.db)`select a.id, a.method, a.holder, a.bank_name as "bankName", a.account,
      a.account_no as "accountNo", a.changed_at as "changedAt"
    from payout_accounts a where a.id = ${id} and a.org_id = ${orgId} and a.removed_at is null
      and a.referrer_id is not distinct from ${referrerId}::bigint
    for share`

/** Of the own organisation, locked: accounts are few and seldom change. */
export const lockOrg = (ctx: Ctx, orgId: number) =>
  rowOf<{ name: string; status: string }>(ctx.db)`
    select name, status from organisations where id = ${orgId} for share`
export const accountsOf = async (
  ctx: Ctx,
  orgId: number,
  referrerId: number | null,
): Promise<number> =>
  (
    await onlyRow<{ n: number }>(ctx.db)`select count(*)::int as n from payout_accounts
      where org_id = ${orgId} and referrer_id is not distinct from ${referrerId}::bigint
        and removed_at is null`
  ).n
export const hold = (orgId: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`payout accounts ${orgId}`}, 0))`
