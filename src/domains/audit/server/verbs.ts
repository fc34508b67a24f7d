import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, may } from '../../../server/context.ts'
import { type audit, type LoginRow, type LogRow, loginReasons } from '../contract.ts'
import { deviceOf, moduleOf } from '../rules.ts'
import { actionLabel } from './actionText.ts'
import { lastCheck, requestCheck } from './checks.ts'
import { debugVerbs } from './debug.ts'
import { online } from './online.ts'
import * as q from './queries.ts'
import { errorText, moduleName, options, shownChanges } from './words.ts'

/** Acts of people outside the reader's organisations stay to be seen, without who and from where. */
function shown(ctx: Ctx, row: q.Row): LogRow {
  const known = q.knows(ctx, row)
  const module = moduleOf(row.action)
  return {
    id: row.id,
    username: row.user_id !== null && known ? row.username : '',
    actor: row.user_id === null ? 'SYSTEM' : known ? 'USER' : 'ABOVE',
    level: row.level,
    content: contentFor(ctx, row),
    module,
    moduleName: moduleName(module, ctx.lang),
    action: row.action,
    targetId: row.resource_id,
    targetName: row.target_name,
    result: row.result,
    errorName: row.error_name,
    ipAddress: known ? row.ip_address : '',
    durationMs: row.duration_ms,
    requestId: row.request_id,
    createTime: iso(row.created_at),
  }
}

/** Rows are kept in Chinese; in English the sentence is made again from the action and the thing. */
function contentFor(ctx: Ctx, row: q.Row): string {
  if (ctx.lang !== 'en') return row.content
  const thing = row.target_name || row.resource_id
  const label = actionLabel(row.action, 'en')
  return `${label}${thing ? `: ${thing}` : ''}${row.error_name ? ` (${errorText(row.error_name, 'en')})` : ''}`
}

const get: Handlers<typeof audit>['get'] = async (ctx, input) => {
  const row = found(await q.row(ctx, input.id))
  const known = q.knows(ctx, row)
  return {
    ...shown(ctx, row),
    orgName: row.org_name ?? '',
    device: known ? deviceOf(row.user_agent) : '',
    userAgent: known ? row.user_agent : '',
    actionName: actionLabel(row.action, ctx.lang),
    // what a thing costs is told by its list only to whoever may know
    changes: shownChanges(moduleOf(row.action), row.before, row.after, ctx.lang).filter((change) => may(ctx, 'product:cost') || !/cost/i.test(change.field)),
    related: (await q.related(ctx, row)).map((other) => shown(ctx, other)),
    seal: (await q.seal(ctx, row.id)) ?? null,
  }
}

const reasonOf = (reason: string): LoginRow['reason'] => loginReasons.find((known) => known === reason) ?? 'OTHER'

export const handlers: Handlers<typeof audit> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  options: async (ctx) => options(ctx.lang),
  get,
  verify: requestCheck,
  check: async (ctx) => ({ check: await lastCheck(ctx) }),
  ...debugVerbs,
  async logins(ctx, input) {
    const { rows, total } = await q.loginRows(ctx, input)
    return {
      list: rows.map((row) => ({
        id: row.id,
        username: row.username,
        ok: row.ok,
        reason: reasonOf(row.reason),
        ip: row.ip,
        device: deviceOf(row.user_agent),
        createTime: iso(row.created_at),
      })),
      total,
    }
  },
  ...online,
}
