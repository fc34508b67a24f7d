import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { type App, type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { keyFor, openSecret, sealSecret } from '../../../server/secretBox.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { ReferrerRow, type referrers } from '../contract.ts'
import { shownName } from '../rules.ts'

type Keys = Pick<App, 'config'>
const use = 'referrers'
/** Bound to the organisation: a row of another one opens nothing. */
export const seal = ({ config }: Keys, column: string, orgId: number, text: string): Buffer =>
  sealSecret(config, use, `referrers.${column}|${orgId}`, text)
export const open = ({ config }: Keys, column: string, orgId: number, sealed: Buffer): string =>
  openSecret(config, use, `referrers.${column}|${orgId}`, sealed)
/** Finds a number that is not kept in words. */
export const hashOf = ({ config }: Keys, mobile: string): Buffer =>
  createHmac('sha256', keyFor(config, `${use}.mobile`))
    .update(mobile)
    .digest()

/** The machines that a referrer `r` brought, as far as they are seen. */
const brought = (ctx: Ctx) => sql`referrer_devices l join devices d on d.id = l.device_id
  where l.referrer_id = r.id and ${visible(ctx, 'd.org_id', 'd.id')}`
const referrer = (ctx: Ctx) =>
  shape(
    ReferrerRow.omit({ idName: true }),
    ['referrers', 'r'],
    {
      mobile: sql`r.mobile_shown`,
      orgName: sql`o.name`,
      linkedOrgName: sql`coalesce((select l.name from organisations l
        where l.id = r.linked_org_id and ${visible(ctx, 'l.id')}), '')`,
      deviceIds: sql`array(select l.device_id from ${brought(ctx)} order by 1)`,
      deviceCount: sql`coalesce(nullif((select count(*) from ${brought(ctx)}), 0),
        (select count(*) from devices d
          where d.org_id = r.linked_org_id and ${visible(ctx, 'd.org_id', 'd.id')}))`,
      receiverState: sql`case when r.receive_kind <> 'PERSONAL' then 'NOT_NEEDED'
        when exists (select from payout_accounts a where a.referrer_id = r.id
          and a.method = 'WECHAT' and a.removed_at is null) then 'BOUND' else 'UNBOUND' end`,
      // at most three rows of his, which the books keep
      earned: sql`coalesce((select sum(b.earned) from ledger_balances b
        where b.party = -r.id), 0)::bigint`,
      unpaid: sql`coalesce((select sum(case b.code when '1102' then -b.balance else b.balance end)
        from ledger_balances b where b.party = -r.id), 0)::bigint`,
      createTime: sql`r.created_at`,
    },
    ['can'],
  )
export type Row = Rows<typeof referrer> & { idName: string }
const from = sql`referrers r join organisations o on o.id = r.org_id`

/** The name of the papers, as far as it is shown. */
async function withNames(ctx: Ctx, rows: readonly Rows<typeof referrer>[]): Promise<Row[]> {
  if (!rows.length) return []
  const { rows: names } = await sql<{ id: number; org: number; name: Buffer }>`
    select r.id, r.org_id as org, r.id_name as name from referrers r
    where r.id = any(${rows.map((row) => row.id)}::bigint[]) and r.id_name is not null
      and ${visible(ctx, 'r.org_id')}`.execute(ctx.db)
  const known = new Map(names.map(({ id, org, name }) => [id, open(ctx.app, 'id_name', org, name)]))
  return rows.map((row) => ({ ...row, idName: shownName(known.get(row.id) ?? '') }))
}

export async function listRows(ctx: Ctx, input: Input<typeof referrers.list>) {
  const { rows, total } = await referrer(ctx).page(ctx.db, {
    from,
    countFrom: sql`referrers r`,
    input,
    last: sql`r.id`,
    sort: {
      createTime: sql`r.created_at`,
      referrerName: sql`r.referrer_name`,
      defaultBp: sql`r.default_bp`,
    },
    where: [
      visible(ctx, 'r.org_id'),
      input.id && sql`r.id = ${input.id}`,
      input.referrerName && sql`strpos(lower(r.referrer_name), lower(${input.referrerName})) > 0`,
      input.mobile && sql`r.mobile_hash = ${hashOf(ctx.app, input.mobile)}`,
      input.status && sql`r.status = ${input.status}`,
      input.linkedOrgId && sql`r.linked_org_id = ${input.linkedOrgId}`,
      input.from && sql`r.created_at >= ${startOfDay(input.from)}`,
      input.to && sql`r.created_at < ${startOfDay(addDays(input.to, 1))}`,
    ],
  })
  return { rows: await withNames(ctx, rows), total }
}

type Option = Output<typeof referrers.options>['list'][number]
export const options = (ctx: Ctx, { id, keyword, own }: Input<typeof referrers.options>) =>
  rowsOf<Option>(ctx.db)`select r.id, r.referrer_name as "referrerName", r.mobile_shown as mobile,
      o.name as "orgName"
    from ${from} where ${visible(ctx, 'r.org_id')}
      and (not ${own ?? false}::boolean or r.org_id = ${ctx.actor.orgId})
      and (r.id = ${id ?? null}::bigint or ${keyword ?? ''} = ''
        or strpos(lower(r.referrer_name), lower(${keyword ?? ''})) > 0)
    order by r.id = ${id ?? null}::bigint desc nulls last, r.referrer_name, r.id limit 50`

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const rest = sql`from ${from} where r.id = ${id} and ${visible(ctx, 'r.org_id')}`
  const found = await referrer(ctx).one(ctx.db, rest)
  return found && (await withNames(ctx, [found]))[0]
}

/** Those that are seen become these; what whoever writes does not see stays. */
export async function keepDevices(
  ctx: Ctx,
  { id, orgId }: { id: number; orgId: number },
  deviceIds: readonly number[],
): Promise<boolean> {
  const ids = [...deviceIds]
  const seen = await rowsOf<{ id: number }>(ctx.db)`select d.id from devices d
    where d.id = any(${ids}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')}`
  if (seen.length < ids.length) return false
  await sql`delete from referrer_devices l using devices d where l.referrer_id = ${id}
    and d.id = l.device_id and l.device_id <> all(${ids}::bigint[])
    and ${visible(ctx, 'd.org_id', 'd.id')}`.execute(ctx.db)
  await sql`insert into referrer_devices (org_id, referrer_id, device_id)
    select ${orgId}, ${id}, d from unnest(${ids}::bigint[]) d on conflict do nothing`.execute(
    ctx.db,
  )
  // those that were there already are of whom he introduced now
  await sql`update referrer_devices set org_id = org_id where referrer_id = ${id}`.execute(ctx.db)
  return true
}
