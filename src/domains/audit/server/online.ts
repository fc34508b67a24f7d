import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, iso, may, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import { sessionsOf } from '../../../server/live.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { cachedSetting, platformOrg } from '../../settings/server/values.ts'
import { type audit, auditErrors, type OnlineRow } from '../contract.ts'
import { deviceOf, kickProblem } from '../rules.ts'

type Session = {
  id: string
  user_id: number
  org_id: number
  username: string
  real_name: string
  org_name: string
  role_zh: string | null
  role_en: string | null
  rank: number
  ip: string
  user_agent: string
  created_at: Date
  last_seen_at: Date
}
const rank = sql`(select coalesce(max(r.rank), 0) from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = s.user_id)`
const roleName = (column: string) =>
  sql`(select ${sql.ref(column)} from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = s.user_id order by r.rank desc, r.id limit 1)`
const from = sql`sessions s join users u on u.id = s.user_id join organisations o on o.id = s.org_id`

async function alive(ctx: Ctx) {
  const minutes = await cachedSetting(ctx.app, platformOrg, 'session.idleMinutes')
  const since = new Date(minutes > 0 ? ctx.now.getTime() - minutes * 60_000 : 0)
  return sql`s.revoked_at is null and s.expires_at > ${ctx.now} and s.last_seen_at > ${since}`
}

function shown(ctx: Ctx, s: Session): OnlineRow {
  const current = s.id === ctx.actor.sessionId
  return {
    id: s.id,
    username: s.username,
    realName: s.real_name,
    orgName: s.org_name,
    roleName: (ctx.lang === 'en' ? s.role_en || s.role_zh : s.role_zh) ?? '',
    ip: s.ip,
    device: deviceOf(s.user_agent),
    signedInAt: iso(s.created_at),
    lastSeenAt: iso(s.last_seen_at),
    current,
    can: { kick: may(ctx, 'user:update') && kickProblem(ctx.actor, { rank: s.rank, current }) === null },
  }
}

const list: Handlers<typeof audit>['online'] = async (ctx, input) => {
  const { rows, total } = await selectPage<Session>(ctx.db, {
    columns: sql`s.id, s.user_id, s.org_id, u.username, u.real_name, o.name as org_name, ${roleName('r.name')} as role_zh, ${roleName('r.name_en')} as role_en, ${rank} as rank, s.ip,
      s.user_agent, s.created_at, s.last_seen_at`,
    from,
    input,
    last: sql`s.id`,
    sort: { lastSeenAt: sql`s.last_seen_at`, signedInAt: sql`s.created_at` },
    where: [
      visible(ctx, 's.org_id'),
      await alive(ctx),
      input.keyword && sql`(strpos(lower(u.username), lower(${input.keyword})) > 0 or strpos(u.real_name, ${input.keyword}) > 0)`,
      input.ip && sql`starts_with(s.ip, ${input.ip})`,
    ],
  })
  return { list: rows.map((row) => shown(ctx, row)), total }
}

/** All or none: a session that is gone or not to be seen answers like a missing one, one of somebody above refuses the whole. */
const kick: Handlers<typeof audit>['kick'] = async (ctx, input) => {
  const ids = [...new Set(input.ids)]
  const { rows } = await sql<
    Pick<Session, 'id' | 'user_id' | 'org_id' | 'username' | 'rank'>
  >`select s.id, s.user_id, s.org_id, u.username, ${rank} as rank from ${from}
    where s.id = any(${ids}::uuid[]) and ${visible(ctx, 's.org_id')} and ${await alive(ctx)} order by s.id for update of s`.execute(ctx.db)
  if (rows.length < ids.length) throw new Refusal(common.notFound)
  for (const row of rows) {
    const problem = kickProblem(ctx.actor, { rank: row.rank, current: row.id === ctx.actor.sessionId })
    if (problem) throw new Refusal(auditErrors[problem])
  }
  await sql`update sessions set revoked_at = ${ctx.now}, revoke_reason = 'KICKED' where id = any(${ids}::uuid[]) and revoked_at is null`.execute(ctx.db)
  const people = Map.groupBy(rows, (row) => row.user_id)
  ctx.audit(
    ...[...people].map(([id, sessions]) => ({
      id,
      name: sessions[0]?.username ?? '',
      after: { sessions: sessions.length },
      orgId: sessions[0]?.org_id as number,
    })),
  )
  for (const id of people.keys()) ctx.touch(sessionsOf(id))
  ctx.touch('online-users')
  return { ended: rows.length }
}

export const online = { online: list, kick }
