import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { type audit, type LoginRow, type LogRow, loginReasons } from '../contract.ts'
import { deviceOf, moduleOf } from '../rules.ts'
import { actionLabel } from './actionText.ts'
import { checks } from './checks.ts'
import { debugging } from './debug.ts'
import { online } from './online.ts'
import * as q from './queries.ts'
import { errorText, moduleName, options, shownChanges } from './words.ts'

/**
 * Acts of people outside the reader's organisations stay to be seen, without who and from where.
 */
function shown(ctx: Ctx, given: q.Row): LogRow {
  const { userId, actorOrgId: _, userAgent: __, ...row } = given
  const known = q.knows(ctx, given)
  const module = moduleOf(row.action)
  return {
    ...row,
    username: userId !== null && known ? row.username : '',
    actor: userId === null ? 'SYSTEM' : known ? 'USER' : 'ABOVE',
    content: contentFor(ctx, row),
    module,
    moduleName: moduleName(module, ctx.lang),
    ipAddress: known ? row.ipAddress : '',
  }
}

/**
 * Rows are kept in Chinese; in English the sentence is made again from the action and the thing.
 */
function contentFor(
  ctx: Ctx,
  row: Pick<LogRow, 'content' | 'targetName' | 'targetId' | 'action' | 'errorName'>,
): string {
  if (ctx.lang !== 'en') return row.content
  const thing = row.targetName || row.targetId
  const label = actionLabel(row.action, 'en')
  return `${label}${thing ? `: ${thing}` : ''}${row.errorName ? ` (${errorText(row.errorName, 'en')})` : ''}`
}

const get: Handlers<typeof audit>['get'] = async (ctx, input) => {
  const { before, after, orgName, ...row } = found(await q.row(ctx, input.id))
  const userAgent = q.knows(ctx, row) ? row.userAgent : ''
  return {
    ...shown(ctx, row),
    orgName,
    device: deviceOf(userAgent),
    userAgent,
    actionName: actionLabel(row.action, ctx.lang),
    // what a thing costs is told by its list only to whoever may know
    changes: shownChanges(moduleOf(row.action), before, after, ctx.lang).filter(
      (change) => may(ctx, 'product:cost') || !/cost/i.test(change.field),
    ),
    related: (await q.related(ctx, row)).map((other) => shown(ctx, other)),
    seal: (await q.seal(ctx, row.id)) ?? null,
  }
}

const reasonOf = (reason: string): LoginRow['reason'] =>
  loginReasons.find((known) => known === reason) ?? 'OTHER'

export const handlers: Handlers<typeof audit> = {
  async list(ctx, input) {
    const { rows, ...found } = await q.listRows(ctx, input)
    return answerOf(
      found,
      rows.map((row) => shown(ctx, row)),
    )
  },
  options: async (ctx) => options(ctx.lang),
  get,
  ...checks,
  ...debugging,
  async logins(ctx, input) {
    const { rows, ...found } = await q.loginRows(ctx, input)
    return answerOf(
      found,
      rows.map(({ userAgent, ...row }) => ({
        ...row,
        reason: reasonOf(row.reason),
        device: deviceOf(userAgent),
      })),
    )
  },
  ...online,
}
