import { sql } from 'kysely'
import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, may, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { endSessions } from '../../session/server/verbs.ts'
import { cachedSetting } from '../../settings/server/values.ts'
import { type audit, auditErrors, OnlineRow } from '../contract.ts'
import { deviceOf, kickProblem } from '../rules.ts'

const rank = sql`(select coalesce(max(r.rank), 0) from user_roles ur
  join roles r on r.id = ur.role_id where ur.user_id = s.user_id)`
const session = ({ lang }: Ctx) =>
  shape(
    OnlineRow.extend({ rank: z.number(), userAgent: z.string() }),
    ['sessions', 's'],
    {
      username: sql`u.username`,
      realName: sql`u.real_name`,
      orgName: sql`o.name`,
      roleName: sql`coalesce((select ${
        lang === 'en'
          ? sql`coalesce(nullif(r.name_en, ''),
        r.name)`
          : sql`r.name`
      }
        from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = s.user_id
        order by r.rank desc, r.id limit 1), '')`,
      rank,
      signedInAt: sql`s.created_at`,
    },
    ['device', 'current', 'can'],
  )
const from = sql`sessions s join users u on u.id = s.user_id
  join organisations o on o.id = s.org_id`

async function alive(ctx: Ctx) {
  const minutes = await cachedSetting(ctx.app, platformOrg, 'session.idleMinutes')
  const since = new Date(minutes > 0 ? ctx.now.getTime() - minutes * 60_000 : 0)
  return sql`s.revoked_at is null and s.expires_at > ${ctx.now} and s.last_seen_at > ${since}`
}

const list: Handlers<typeof audit>['online'] = async (ctx, input) => {
  const { rows, total } = await session(ctx).page(ctx.db, {
    from,
    input,
    last: sql`s.id`,
    sort: { lastSeenAt: sql`s.last_seen_at`, signedInAt: sql`s.created_at` },
    where: [
      visible(ctx, 's.org_id'),
      await alive(ctx),
      input.keyword &&
        sql`(strpos(lower(u.username), lower(${input.keyword})) > 0
          or strpos(u.real_name, ${input.keyword}) > 0)`,
      input.ip && sql`starts_with(s.ip, ${input.ip})`,
    ],
  })
  const shown = ({ rank, userAgent, ...row }: (typeof rows)[number]): OnlineRow => {
    const current = row.id === ctx.actor.sessionId
    return {
      ...row,
      device: deviceOf(userAgent),
      current,
      can: { kick: may(ctx, 'user:update') && kickProblem(ctx.actor, { rank, current }) === null },
    }
  }
  return { list: rows.map(shown), total }
}

/**
 * All or none: a session that is gone or not to be seen answers like a missing one, one of somebody
 * above refuses the whole.
 */
const kick: Handlers<typeof audit>['kick'] = async (ctx, input) => {
  const ids = [...new Set(input.ids)]
  const rows = await rowsOf<{
    id: string
    userId: number
    orgId: number
    name: string
    rank: number
  }>(ctx.db)`
    select s.id, s.user_id as "userId", s.org_id as "orgId", u.username as name, ${rank} as rank
    from ${from}
    where s.id = any(${ids}::uuid[]) and ${visible(ctx, 's.org_id')} and ${await alive(ctx)}
    order by s.id for update of s`
  if (rows.length < ids.length) throw new Refusal(common.notFound)
  for (const row of rows) {
    const problem = kickProblem(ctx.actor, {
      rank: row.rank,
      current: row.id === ctx.actor.sessionId,
    })
    if (problem) throw new Refusal(auditErrors[problem])
  }
  await endSessions(ctx, sql`s.id = any(${ids}::uuid[])`, 'KICKED')
  const people = Map.groupBy(rows, (row) => row.userId)
  ctx.audit(
    ...[...people].map(([id, sessions]) => {
      const { name, orgId } = sessions[0] as (typeof rows)[number]
      return { id, name, after: { sessions: sessions.length }, orgId }
    }),
  )
  return { ended: rows.length }
}

export const online = { online: list, kick }
