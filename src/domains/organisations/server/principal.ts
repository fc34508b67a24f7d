import { sql } from 'kysely'
import { type AuditEntry, type Ctx, found, may } from '../../../server/context.ts'
import { requireProof } from '../../../server/proof.ts'
import { shape, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import { outranks } from '../../roles/server/assign.ts'
import { endSessions } from '../../session/server/verbs.ts'
import { OrganUserRow, userErrors } from '../../users/contract.ts'
import { addUser, giveRoles, type NewUser } from '../../users/server/verbs.ts'
import { type EditOrganisation, organisationErrors } from '../contract.ts'
import type { Detail } from './queries.ts'

/** Pictures the actor sends are his own uploads; what the record holds already may stay. */
export async function checkPictures(
  ctx: Ctx,
  urls: readonly string[],
  held: readonly string[] = [],
): Promise<void> {
  const fresh = [...new Set(urls)].filter((url) => url && !held.includes(url))
  if ((await missingPictures(ctx, fresh, uploadedBy(ctx))).length)
    throw new Refusal(common.notFound)
}

/** What is refused at a field of an account, at the field of this form that it hangs on. */
async function at<R>(fields: Readonly<Record<string, string>>, work: Promise<R>): Promise<R> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal(
      error.def,
      error.values,
      error.fields.map(({ field, text }) => ({ field: fields[field] ?? field, text })),
    )
  }
}

/**
 * The organisation stands already, so what does not fit it is a matter of the kind that was chosen.
 */
export const addPrincipal = (ctx: Ctx, user: NewUser) => at({ orgId: 'kind' }, addUser(ctx, user))

const account = shape(
  OrganUserRow.pick({
    id: true,
    username: true,
    realName: true,
    avatar: true,
    regionCode: true,
    version: true,
  }),
  ['users', 'u'],
  {},
)

/**
 * The account an organisation shows: only what this form changes of it, and nothing when somebody
 * else changed the account since it was opened. How he is reached and signs in is his own. Answers
 * what the log says of him.
 */
export async function editPrincipal(
  ctx: Ctx,
  org: Detail,
  { realName, avatar, ...input }: EditOrganisation,
): Promise<AuditEntry[]> {
  if (org.principalId === null) return []
  if (!avatar && org.avatar) throw fieldRefusal(organisationErrors.avatarMissing, 'avatar')
  const person = found(
    await account.one(ctx.db, sql`from users u where u.id = ${org.principalId} for update`),
  )
  const held = org.roles.map((role) => role.id)
  const roleIds = input.roleIds ?? held
  const given = new Set(roleIds).symmetricDifference(new Set(held)).size > 0
  if (realName === person.realName && avatar === person.avatar && !given) return []
  if (input.principalVersion !== person.version) throw new Refusal(common.stale)
  if (given) await requireProof(ctx.app, ctx.actor)
  if (!(await outranks(ctx, person.id))) throw new Refusal(userErrors.rankTooHigh)
  await updateVersion(ctx, 'users', person, { real_name: realName, avatar })
  if (given) {
    if (!may(ctx, 'user:assign-role')) throw new Refusal(common.forbidden)
    if (person.id === ctx.actor.userId) throw new Refusal(userErrors.notOneself)
    await at(
      { orgId: 'roleIds', regionCode: 'roleIds' },
      giveRoles(ctx, { ...person, orgId: org.id, roles: org.roles }, roleIds),
    )
    await endSessions(ctx, [person.id], 'ACCESS_CHANGED')
  }
  ctx.touch('users')
  return [
    {
      action: 'users.update',
      id: person.id,
      name: person.username,
      before: { realName: person.realName, avatar: person.avatar, roleIds: held },
      after: { realName, avatar, roleIds },
      orgId: org.id,
    },
  ]
}
