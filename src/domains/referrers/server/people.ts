import { type RawBuilder, sql } from 'kysely'
import { type App, type Ctx, may } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { shownName } from '../rules.ts'
import { open, seal } from './queries.ts'

export type Person = {
  readonly id: number
  readonly name: string
  /** As on his papers; empty: nobody said. */
  readonly idName: string
}
/** A referrer of this organisation as he is now; whoever changes him meanwhile waits. */
export async function personOf(ctx: Ctx, orgId: number, id: number): Promise<Person | undefined> {
  const row = await rowOf<{ id: number; name: string; sealed: Buffer | null }>(ctx.db)`
    select r.id, r.referrer_name as name, r.id_name as sealed from referrers r
    where r.id = ${id} and r.org_id = ${orgId} for share`
  if (!row) return undefined
  const { sealed, name } = row
  return { id, name, idName: sealed ? open(ctx.app, 'id_name', orgId, sealed) : '' }
}

/** What a referrer `r` is called where money is listed: in part for whoever does not read referrers. */
export const calledSql = (ctx: Ctx): RawBuilder<string> =>
  may(ctx, 'referrer:read')
    ? sql`coalesce(r.referrer_name, '')`
    : sql`coalesce(left(r.referrer_name, 1) || '**', '')`

type Keys = Pick<App, 'config'>
type Whose = { id: number; orgId: number }
/** His account at WeChat with the name of his papers, as a payout account has it. */
export const sealPhone = (
  app: Keys,
  { id, orgId }: Whose,
  { account, holder }: { account: string; holder: string },
): Buffer => seal(app, `phone|${id}`, orgId, `${account}\n${holder}`)
export const openPhone = (app: Keys, { id, orgId }: Whose, sealed: Buffer): string =>
  open(app, `phone|${id}`, orgId, sealed)

/** The phone that scanned his code is his account at WeChat; the one before is over. */
export async function bindPhone(
  ctx: Ctx,
  { openid, holder, ...whose }: Whose & { openid: string; holder: string },
): Promise<void> {
  const { id, orgId } = whose
  await sql`update payout_accounts set removed_at = ${ctx.now}, version = version + 1
    where referrer_id = ${id} and method = 'WECHAT' and removed_at is null`.execute(ctx.db)
  await sql`insert into payout_accounts (org_id, referrer_id, method, holder, account, account_no,
      changed_at, created_at)
    values (${orgId}, ${id}, 'WECHAT', ${shownName(holder)},
      ${sealPhone(ctx.app, whose, { account: openid, holder })}, ${`****${openid.slice(-4)}`},
      ${ctx.now}, ${ctx.now})`.execute(ctx.db)
  await notify(ctx, {
    kind: 'SYSTEM',
    permission: 'payout-account:update',
    orgId,
    title: bi('推荐人已绑定收款微信', 'A referrer bound the WeChat he is paid by'),
    body: bi(
      `${shownName(holder)}。如非本人所为，请立即停用并联系平台。`,
      `${shownName(holder)}. If this was not him, disable him and tell the platform at once.`,
    ),
    link: '/finance/billing-details/payout-accounts',
  })
  ctx.touch('payout-accounts', [orgId])
}
/** Another name of the papers is another person: nothing of the one before is paid to. */
export async function forgetAccounts(ctx: Ctx, { id, orgId }: Whose): Promise<void> {
  await sql`update payout_accounts set removed_at = ${ctx.now}, version = version + 1
    where referrer_id = ${id} and removed_at is null`.execute(ctx.db)
  ctx.touch('payout-accounts', [orgId])
}
