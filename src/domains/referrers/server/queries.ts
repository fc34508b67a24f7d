import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { type App, type Ctx, visible } from '../../../server/context.ts'
import { keyFor, openSecret, sealSecret } from '../../../server/secretBox.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
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

const referrer = (ctx: Ctx) =>
  shape(
    ReferrerRow.omit({ idName: true }),
    ['referrers', 'r'],
    {
      mobile: sql`r.mobile_shown`,
      orgName: sql`o.name`,
      linkedOrgName: sql`coalesce((select l.name from organisations l
        where l.id = r.linked_org_id and ${visible(ctx, 'l.id')}), '')`,
      deviceCount: sql`(select count(*) from devices d
        where d.org_id = r.linked_org_id and ${visible(ctx, 'd.org_id', 'd.id')})`,
      receiverState: sql`case when r.receive_kind <> 'PERSONAL' then 'NOT_NEEDED'
        when r.openid is null then 'UNBOUND' else 'BOUND' end`,
      // at most two rows of his, which the books keep
      earned: sql`coalesce((select sum(b.earned) from ledger_balances b
        where b.party = -r.id), 0)::bigint`,
      unpaid: sql`coalesce((select sum(case b.code when '2004' then b.balance else -b.balance end)
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

export async function row(ctx: Ctx, id: number): Promise<Row | undefined> {
  const rest = sql`from ${from} where r.id = ${id} and ${visible(ctx, 'r.org_id')}`
  const found = await referrer(ctx).one(ctx.db, rest)
  return found && (await withNames(ctx, [found]))[0]
}
