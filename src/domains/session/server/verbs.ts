import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { byRole, type Ctx, found, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { checkPassword } from '../../../server/passwords.ts'
import { shape } from '../../../server/shapes.ts'
import { hashing } from '../../../server/shares.ts'
import { platformOrg } from '../../../shared/access.ts'
import { neighbourhoodOf } from '../../../shared/address.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { menuRows, menuTree, rolesOf } from '../../accounts/server/menuTree.ts'
import { screens } from '../../product.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { session, sessionErrors } from '../contract.ts'
import { passwordExpired } from '../rules.ts'
import { knownBrowser } from './browsers.ts'
import { admit, factorHandlers } from './factor.ts'
import { factorDue } from './factorDue.ts'
import { countFailure, forget, judge } from './guard.ts'
import * as me from './me.ts'
import { passwordDue } from './people.ts'
import { prove } from './proof.ts'
import * as q from './queries.ts'
import { changePassword, passwordReset, unbind } from './reset.ts'
import { confirmScan, refuseScan, scan, scanIdentity } from './scan.ts'
import { loginsend, loginv, methods } from './send.ts'
import { undo } from './undo.ts'
import { canViewAs } from './view.ts'

type Contract = typeof session

const screenPaths = new Set(screens.map((screen) => screen.path))

type Ready = {
  account: q.Account | undefined
  expired: boolean
  matches: boolean
  browser: Buffer | null
  request: FastifyRequest
}

/**
 * Sign-in: the same work and the same answer whether the name is unknown, wrong, locked or
 * disabled.
 */
export const login = prepared<Contract['login'], Ready>({
  async prepare(app, input, request) {
    const [account, browser] = await app.database.read(systemScope, async (db) => {
      const named = await q.accountByName(db, input.username)
      return [named, await knownBrowser(db, request, named?.id, app.now())] as const
    })
    const firstDays = await cachedSetting(app, platformOrg, 'password.firstDays')
    // the age of a first password is a limit like the age of any other
    const expired =
      account?.first_since != null && passwordExpired(account.first_since, firstDays, app.now())
    return {
      account,
      browser,
      expired,
      matches: await hashing(app).take(neighbourhoodOf(request.ip), () =>
        checkPassword(account?.password_hash, input.password),
      ),
      request,
    }
  },
  async run(ctx, input, { account, matches, expired, browser, request }) {
    const verdict = await judge(ctx, { name: input.username, account, ip: ctx.ip, browser })
    const locked =
      verdict.shut || (!browser && account?.locked_until != null && account.locked_until > ctx.now)
    const reason = !account
      ? 'UNKNOWN'
      : locked
        ? 'LOCKED'
        : !matches
          ? 'WRONG'
          : !account.usable
            ? 'DISABLED'
            : expired
              ? 'EXPIRED'
              : 'OK'
    if (!account || reason !== 'OK') {
      q.addAttempt(ctx, {
        username: input.username,
        userId: account?.id ?? null,
        orgId: account?.org_id ?? null,
        ok: false,
        reason,
      })
      await countFailure(ctx, { ...verdict, shut: locked }, account)
      return refused(sessionErrors.wrongCredentials)
    }
    const admitted = await admit(ctx, account, request)
    if (!admitted) return refused(sessionErrors.wrongCredentials)
    forget(ctx, verdict)
    return admitted
  },
})

const shownUser = {
  id: true,
  username: true,
  realName: true,
  img: true,
  title: true,
  orgId: true,
  orgName: true,
  mustChangePassword: true,
} as const
const person = shape(
  session.user.output.pick(shownUser).extend({ passwordChangedAt: f.instant }),
  ['users', 'u'],
  {
    img: sql`u.avatar`,
    title: sql`coalesce(nullif(u.title, ''), (select r.name from user_roles ur
      join roles r on r.id = ur.role_id where ur.user_id = u.id order by r.rank desc limit 1), '')`,
    orgName: sql`o.name`,
  },
)

async function user(ctx: Ctx) {
  const own = await person.one(
    ctx.db,
    sql`from users u join organisations o on o.id = u.org_id where u.id = ${ctx.actor.userId}`,
  )
  const { passwordChangedAt, mustChangePassword: mustChange, ...row } = found(own)
  const { view, permissions } = ctx.actor
  const roles = view?.kind === 'role' ? [view.id] : await rolesOf(ctx.db, row.id)
  return {
    ...row,
    role: ctx.actor.role,
    is_superuser: byRole(ctx, (role) => role === 'ROLE_SUPER_ADMIN'),
    menus: menuTree(await menuRows(ctx.db, roles, permissions), (path) => screenPaths.has(path)),
    permissions: [...permissions].sort(),
    view: view ? { kind: view.kind, id: view.id, name: { zh: view.name, en: view.nameEn } } : null,
    readOnly: ctx.actor.scope.watched !== null,
    canViewAs: canViewAs(ctx.actor),
    mustChangePassword: await passwordDue(ctx.app, {
      mustChange,
      changedAt: new Date(passwordChangedAt),
    }),
    mustSetUpFactor: await factorDue(ctx.app, {
      ...ctx.actor,
      permissions: view?.ownPermissions ?? permissions,
    }),
  }
}

async function logout(ctx: Ctx) {
  await q.endSessions(ctx, sql`s.id = ${ctx.actor.sessionId}::uuid`, 'LOGOUT')
  ctx.audit({ id: ctx.actor.userId as number, name: ctx.actor.username })
  return { ok: true as const }
}

async function preferences(ctx: Ctx) {
  const rows = await ctx.db
    .selectFrom('preferences')
    .select(['key', 'value'])
    .where('user_id', '=', ctx.actor.userId)
    .execute()
  return Object.fromEntries(rows.map((row) => [row.key, row.value]))
}

const mostPreferences = 300
const savePreference: Handlers<Contract>['savePreference'] = async (ctx, input) => {
  const value = JSON.stringify(input.value ?? null)
  if (value.length > 8000) throw new Refusal(common.tooLarge)
  // a person's layouts, not a store: what is there may change, what is new must find room
  const { numAffectedRows } = await sql`
    insert into preferences (user_id, org_id, key, value, updated_at)
    select ${ctx.actor.userId}, ${ctx.actor.orgId}, ${input.key}, ${value}::jsonb, ${ctx.now}
    where (select count(*) from preferences
      where user_id = ${ctx.actor.userId} and key <> ${input.key}) < ${mostPreferences}
    on conflict (user_id, key) do update
    set value = excluded.value, updated_at = excluded.updated_at`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.tooLarge)
  return { ok: true as const }
}

export { removeFactor } from './factor.ts'
export { startAnew } from './guard.ts'
export { endSessions, namesNear } from './queries.ts'
export { unbindWechat } from './reset.ts'
export { endLinks, takeBack, wayChanged, waysOf } from './ways.ts'

export const handlers: Handlers<Contract> = {
  login,
  methods,
  loginsend,
  loginv,
  scanIdentity,
  scan,
  confirmScan,
  refuseScan,
  passwordReset,
  ...factorHandlers,
  undo,
  prove,
  user,
  logout,
  ...me,
  changePassword,
  unbind,
  preferences,
  savePreference,
}
