import { sql } from 'kysely'
import { type Ctx, found, visible } from '../../../server/context.ts'
import type { HomeKind } from '../../../shared/access.ts'
import { Refusal } from '../../../shared/errors.ts'
import { locale } from '../../accounts/locale.ts'
import { type AssignableRole, userLimit } from '../../roles/server/assign.ts'
import { userErrors } from '../contract.ts'
import { missingHome, regionRule } from '../rules.ts'

/** What must be right about the place somebody stands in. */

/** The organisation people are added to: seen (or just made below one that is), enabled with all above it, with room for `more`. */
export async function openHome(ctx: Ctx, orgId: number, more: number): Promise<{ kind: HomeKind }> {
  const limit = await userLimit(ctx)
  // with a limit the organisation is locked, so that two who add at once count one after the other
  const lock = limit === null ? sql`for key share of o` : sql`for no key update of o`
  const { rows } = await sql<{ kind: HomeKind; path: string }>`
    select o.kind, o.path::text as path from organisations o where o.id = ${orgId} and (${visible(ctx, 'o.id')} or ${visible(ctx, 'o.parent_id')}) ${lock}`.execute(
    ctx.db,
  )
  const home = found(rows[0])
  const { rows: state } = await sql<{ closed: boolean; users: number }>`
    select exists (select from organisations a where a.path @> ${home.path}::ltree and a.status = 'DISABLED') as closed,
      (select count(*) from users where org_id = ${orgId} and deleted_at is null) as users`.execute(ctx.db)
  if (state[0]?.closed) throw new Refusal(userErrors.orgClosed, {}, [{ field: 'orgId', text: userErrors.orgClosed.text }])
  if (limit !== null && (state[0]?.users ?? 0) + more > limit) throw new Refusal(userErrors.orgIsFull, { n: limit })
  return home
}

/** What roles ask of a person: a regulator has a region, a sponsor's manager stands in a sponsor. */
export function checkRoles(ctx: Pick<Ctx, 'lang'>, roles: readonly Pick<AssignableRole, 'code' | 'dataScope'>[], orgKind: HomeKind, regionCode: string): void {
  const region = regionRule(roles, regionCode)
  if (region) throw new Refusal(region, {}, [{ field: 'regionCode', text: region.text }])
  const kind = missingHome(roles, orgKind)
  if (!kind) return
  const names: Readonly<Record<string, string>> = locale[ctx.lang === 'en' ? 'en' : 'zh'].enums.kind
  throw new Refusal(userErrors.wrongHome, { kind: names[kind] ?? kind }, [{ field: 'orgId', text: userErrors.wrongHome.text }])
}

export async function checkDepartment(ctx: Ctx, departmentId: number | null, orgId: number): Promise<void> {
  if (departmentId === null) return
  found(await ctx.db.selectFrom('departments').select('id').where('id', '=', departmentId).where('org_id', '=', orgId).executeTakeFirst())
}

/** A picture somebody else uploaded answers like a missing one. */
export async function checkPicture(ctx: Ctx, avatar: string): Promise<void> {
  if (avatar) found(await ctx.db.selectFrom('uploads').select('id').where('url', '=', avatar).where('user_id', '=', ctx.actor.userId).executeTakeFirst())
}
