import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { byRole, type Ctx, found, refused } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { sessionsOf } from '../../../server/live.ts'
import { checkPassword } from '../../../server/passwords.ts'
import { hashing } from '../../../server/shares.ts'
import { neighbourhoodOf } from '../../../shared/address.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { screens } from '../../product.ts'
import { cachedSetting, platformOrg } from '../../settings/server/values.ts'
import { type session, sessionErrors } from '../contract.ts'
import { passwordExpired } from '../rules.ts'
import { knownBrowser } from './browsers.ts'
import { admit, factorHandlers } from './factor.ts'
import { factorDue } from './factorDue.ts'
import { countFailure, forget, judge } from './guard.ts'
import * as me from './me.ts'
import { menuRows, menuTree, rolesOf } from './menus.ts'
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

type Ready = { account: q.Account | undefined; expired: boolean; matches: boolean; browser: Buffer | null; request: FastifyRequest }

/** Sign-in: the same work and the same answer whether the name is unknown, wrong, locked or disabled. */
export const login = prepared<Contract['login'], Ready>({
  async prepare(app, input, request) {
    const [account, browser] = await app.database.read(systemScope, async (db) => {
      const named = await q.accountByName(db, input.username)
      return [named, await knownBrowser(db, request, named?.id, app.now())] as const
    })
    const firstDays = await cachedSetting(app, platformOrg, 'password.firstDays')
    // the age of a first password is a limit like the age of any other
    const expired = account?.first_since != null && passwordExpired(account.first_since, firstDays, app.now())
    return {
      account,
      browser,
      expired,
      matches: await hashing(app).take(neighbourhoodOf(request.ip), () => checkPassword(account?.password_hash, input.password)),
      request,
    }
  },
  async run(ctx, input, { account, matches, expired, browser, request }) {
    const verdict = await judge(ctx, { name: input.username, account, ip: ctx.ip, browser })
    const locked = verdict.shut || (!browser && account?.locked_until != null && account.locked_until > ctx.now)
    const reason = !account ? 'UNKNOWN' : locked ? 'LOCKED' : !matches ? 'WRONG' : !account.usable ? 'DISABLED' : expired ? 'EXPIRED' : 'OK'
    if (!account || reason !== 'OK') {
      q.addAttempt(ctx, { username: input.username, userId: account?.id ?? null, orgId: account?.org_id ?? null, ok: false, reason })
      await countFailure(ctx, { ...verdict, shut: locked }, account)
      return refused(sessionErrors.wrongCredentials)
    }
    // changed since it was compared: the session would outlive the reset that ends all of them
    if (!(await q.holds(ctx.db, account))) return refused(sessionErrors.wrongCredentials)
    forget(ctx, verdict)
    return admit(ctx, account, request)
  },
})

async function user(ctx: Ctx) {
  const { rows } = await sql<{
    id: number
    username: string
    real_name: string
    avatar: string
    title: string
    must_change_password: boolean
    password_changed_at: Date
    org_id: number
    org_name: string
    role_name: string
  }>`
    select u.id, u.username, u.real_name, u.avatar, u.title, u.must_change_password, u.password_changed_at, u.org_id, o.name as org_name,
      (select r.name from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id order by r.rank desc limit 1) as role_name
    from users u join organisations o on o.id = u.org_id where u.id = ${ctx.actor.userId}`.execute(ctx.db)
  const row = found(rows[0])
  const { view } = ctx.actor
  return {
    id: row.id,
    username: row.username,
    realName: row.real_name,
    role: ctx.actor.role,
    is_superuser: byRole(ctx, (role) => role === 'ROLE_SUPER_ADMIN'),
    img: row.avatar,
    title: row.title || row.role_name,
    menus: menuTree(await menuRows(ctx.db, view?.kind === 'role' ? [view.id] : await rolesOf(ctx.db, row.id), ctx.actor.permissions), (path) =>
      screenPaths.has(path),
    ),
    permissions: [...ctx.actor.permissions].sort(),
    orgId: row.org_id,
    orgName: row.org_name,
    view: view ? { kind: view.kind, id: view.id, name: { zh: view.name, en: view.nameEn } } : null,
    canViewAs: canViewAs(ctx.actor),
    mustChangePassword: await passwordDue(ctx.app, { mustChange: row.must_change_password, changedAt: row.password_changed_at }),
    mustSetUpFactor: await factorDue(ctx.app, { ...ctx.actor, permissions: view?.ownPermissions ?? ctx.actor.permissions }),
  }
}

async function logout(ctx: Ctx) {
  await q.revokeSessions(ctx.db, ctx.now, { sessionId: ctx.actor.sessionId as string }, 'LOGOUT')
  ctx.audit({ id: ctx.actor.userId as number, name: ctx.actor.username })
  ctx.touch(sessionsOf(ctx.actor.userId as number))
  return { ok: true as const }
}

async function preferences(ctx: Ctx) {
  const rows = await ctx.db.selectFrom('preferences').select(['key', 'value']).where('user_id', '=', ctx.actor.userId).execute()
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
    where (select count(*) from preferences where user_id = ${ctx.actor.userId} and key <> ${input.key}) < ${mostPreferences}
    on conflict (user_id, key) do update set value = excluded.value, updated_at = excluded.updated_at`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.tooLarge)
  return { ok: true as const }
}

export { removeFactor } from './factor.ts'
export { startAnew } from './guard.ts'
export { namesNear } from './queries.ts'
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
  profile: me.profile,
  editProfile: me.editProfile,
  changePhone: me.changePhone,
  changePassword,
  sessions: me.sessions,
  endSession: me.endSession,
  endOthers: me.endOthers,
  binding: me.binding,
  unbind,
  preferences,
  savePreference,
}
