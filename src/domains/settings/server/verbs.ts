import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, may, owns } from '../../../server/context.ts'
import { requireProof } from '../../../server/proof.ts'
import { platformOrg } from '../../../shared/access.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { pageSizes } from '../../../shared/listQuery.ts'
import { bi, say } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'
import { type SettingChange, type SettingRow, settingErrors, type settings } from '../contract.ts'
import { locale } from '../locale.ts'
import { type SettingKey, settingOfKey, shownKeys } from '../registry.ts'
import { changeable, effective, lockedAbove } from '../rules.ts'
import { calendar, importCalendar } from './calendar.ts'
import { dictionary } from './dictionary.ts'
import * as q from './queries.ts'
import { serverState } from './serverState.ts'
import { settingOf, settingsChanged } from './values.ts'

type Contract = typeof settings

function shown(
  ctx: Ctx,
  org: q.Org,
  key: SettingKey,
  rows: readonly q.SourceRow[],
  below: number,
): SettingRow {
  const setting = settingOfKey(key)
  // what stands below the platform for a platform's key counts for nobody
  const chain = rows.filter(
    (row) => row.key === key && (setting.level === 'org' || row.orgId === platformOrg),
  )
  const counts = effective(chain)
  const own = chain.find((row) => row.orgId === org.id)
  const lock = lockedAbove(chain, org.id)
  const free = changeable(setting, chain, org.id, platformOrg) === null && owns(ctx, org.id)
  const update = free && may(ctx, 'setting:update')
  const visibleBy = counts?.byOrg != null && owns(ctx, counts.byOrg)
  return {
    key,
    value: counts
      ? (setting.shape.safeParse(counts.value).data ?? setting.fallback)
      : setting.fallback,
    source: !counts ? 'DEFAULT' : counts.orgId === org.id ? 'OWN' : 'INHERITED',
    from: counts && counts.orgId !== org.id ? { id: counts.orgId, name: counts.orgName } : null,
    locked: own?.locked ?? false,
    lockedBy: lock ? { id: lock.orgId, name: lock.orgName } : null,
    below: setting.level === 'org' ? below : 0,
    version: own?.version ?? 0,
    updatedAt: counts ? iso(counts.updatedAt) : null,
    updatedBy: visibleBy ? (counts?.updatedBy ?? null) : null,
    can: {
      update,
      lock: update && setting.level === 'org' && may(ctx, 'setting:lock'),
      reset: update && own !== undefined && (!own.locked || may(ctx, 'setting:lock')),
    },
  }
}

const list: Handlers<Contract>['list'] = async (ctx, input) => {
  const org = found(await q.organisation(ctx, input.orgId))
  const [rows, below] = [await q.sources(ctx, org.id), await q.below(ctx, org.id)]
  return {
    org,
    list: shownKeys.map((key) => shown(ctx, org, key, rows, below.get(key) ?? 0)),
    fixed: {
      environment: ctx.app.config.environment,
      timeoutMs: ctx.app.config.requestTimeoutMs,
      fileBytes: 8_388_608,
      imageBytes: 2_097_152,
      images: 5,
      formats: ['jpg', 'png'],
      importRows: 1000,
      pageSizes: [...pageSizes],
      defaultPageSize: 20,
      reportDays: 366,
    },
  }
}

/** The value through its shape; a wrong one names its setting. */
function parsed(ctx: Ctx, key: SettingKey, value: unknown): unknown {
  const { shape, name } = settingOfKey(key)
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const problem = result.error.issues[0]?.message ?? common.invalid.text
  throw new Refusal(
    settingErrors.wrongValue,
    { name: say(name, ctx.lang), problem: say(problem, ctx.lang) },
    [{ field: key, text: problem }],
  )
}

type Change = { key: SettingKey; before: q.Told | null; after: q.Told }

async function apply(
  ctx: Ctx,
  orgId: number,
  change: SettingChange,
  chain: readonly q.ChainRow[],
): Promise<Change> {
  const { key } = change
  const setting = settingOfKey(key)
  const values = chain.filter((row) => row.key === key)
  const own = values.find((row) => row.orgId === orgId)
  const refusal = changeable(setting, values, orgId, platformOrg)
  if (refusal) throw fieldRefusal(refusal, key)
  const locked = change.locked ?? own?.locked ?? false
  // a lock is a right of its own, and so is changing what it binds
  const touchesLock = locked !== (own?.locked ?? false) || own?.locked === true
  if (touchesLock && (setting.level === 'platform' || !may(ctx, 'setting:lock')))
    throw new Refusal(common.forbidden)
  // a lock without a value holds what counts now
  const value =
    change.value === undefined
      ? (effective(values)?.value ?? setting.fallback)
      : parsed(ctx, key, change.value)
  if (!(await q.store(ctx, { orgId, key, value, locked, version: change.version })))
    throw fieldRefusal(common.stale, key)
  return {
    key,
    before: own ? { value: own.value, locked: own.locked } : null,
    after: { value, locked },
  }
}

/** The organisation to change: seen and owned, else it is not there. */
async function ownOrg(ctx: Ctx, orgId: number | undefined): Promise<q.Org> {
  const org = found(await q.organisation(ctx, orgId))
  if (!owns(ctx, org.id)) throw new Refusal(common.notFound)
  return org
}

/** What guards people and money is not loosened from a screen left open. */
async function proofFor(ctx: Ctx, key: SettingKey): Promise<void> {
  if (['security', 'funds'].includes(settingOfKey(key).section))
    await requireProof(ctx.app, ctx.actor)
}

const save: Handlers<Contract>['save'] = async (ctx, { orgId, changes }) => {
  const org = await ownOrg(ctx, orgId)
  const keys = changes.map((change) => change.key)
  if (new Set(keys).size !== keys.length) throw new Refusal(settingErrors.twice)
  const chain = await q.chain(ctx, org.id, keys)
  const done: Change[] = []
  for (const key of keys) await proofFor(ctx, key)
  // in the order of keys, so that two who save the same never wait for each other
  for (const change of [...changes].sort((a, b) => (a.key < b.key ? -1 : 1)))
    done.push(await apply(ctx, org.id, change, chain))
  ctx.audit({
    id: org.id,
    name: `${org.name} ${done.map(({ key }) => say(settingOfKey(key).name, 'zh-CN')).join('、')}`,
    before: Object.fromEntries(done.map((change) => [change.key, change.before])),
    after: Object.fromEntries(done.map((change) => [change.key, change.after])),
    orgId: org.id,
  })
  changed(ctx)
  return { ok: true as const }
}

const reset: Handlers<Contract>['reset'] = async (ctx, { key, orgId, version }) => {
  const org = await ownOrg(ctx, orgId)
  await proofFor(ctx, key)
  const values = await q.chain(ctx, org.id, [key])
  const own = found(values.find((row) => row.orgId === org.id))
  reject(changeable(settingOfKey(key), values, org.id, platformOrg))
  if (own.locked && !may(ctx, 'setting:lock')) throw new Refusal(common.forbidden)
  const { numAffectedRows } = await sql`delete from settings
      where org_id = ${org.id} and key = ${key} and version = ${version}`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(common.stale)
  ctx.audit({
    id: org.id,
    name: `${org.name} ${say(settingOfKey(key).name, 'zh-CN')}`,
    before: { [key]: { value: own.value, locked: own.locked } },
    after: { [key]: null },
    orgId: org.id,
  })
  changed(ctx)
  return { ok: true as const }
}

/** Every process looks again: ours at once, the others over the live channel. */
function changed(ctx: Ctx): void {
  ctx.touch('settings')
  ctx.afterCommit(() => settingsChanged(ctx.app))
}

const history: Handlers<Contract>['history'] = async (ctx, { key, orgId }) => {
  const org = found(await q.organisation(ctx, orgId))
  const rows = await q.history(ctx, org.id, key)
  return {
    list: rows.map((row) => ({
      at: iso(row.at),
      // people above are not named
      username: row.userOrg !== null && owns(ctx, row.userOrg) ? row.username : '',
      before: row.before?.value ?? null,
      after: row.after?.value ?? null,
      lockedBefore: row.before?.locked ?? false,
      lockedAfter: row.after?.locked ?? false,
    })),
  }
}

export const handlers: Handlers<Contract> = {
  list,
  save,
  reset,
  history,
  async notifyTest(ctx) {
    const userId = ctx.actor.userId as number
    const told = (key: 'title' | 'body') =>
      bi(locale.zh.testMessage[key], locale.en.testMessage[key])
    await notify(ctx, {
      userIds: [userId],
      kind: 'SYSTEM',
      title: told('title'),
      body: told('body'),
      link: '/notice',
    })
    ctx.audit({ id: userId, name: ctx.actor.username })
    return { ok: true as const }
  },
  mine: async (ctx) => ({ homeRefresh: await settingOf(ctx.db, ctx.actor.orgId, 'home.refresh') }),
  calendar,
  importCalendar,
  dictionary,
  server: serverState,
}
