import { type InsertObject, sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import type { DB } from '../../../server/schema.ts'
import { columns, deleteVersion, updateVersion } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { bi } from '../../../shared/text.ts'
import { loadPerson } from '../../accounts/server/people.ts'
import { askRecipients } from '../../alerts/server/recipients.ts'
import { whole } from '../../billing/server/statements.ts'
import { planExport, takesDays } from '../../jobs/server/exports.ts'
import { notify } from '../../notices/server/notify.ts'
import { type SubscriptionRow, subscriptionErrors, type subscriptions } from '../contract.ts'
import { locale } from '../locale.ts'
import { type State, spanOf, stateFrom, statementPeriod, subscriptionLimits } from '../rules.ts'
import { mayHave, paramsOf, spanFor, type Wanted } from './may.ts'
import * as q from './queries.ts'
import { enqueue, filesName } from './runs.ts'

type Contract = typeof subscriptions
type Asked = Pick<Input<Contract['create']>, 'period' | 'userIds'>

/** The author and everybody he names: of his own organisation, and each may have it himself. */
async function checkPeople(
  app: App,
  actor: Ctx['actor'],
  wanted: Wanted,
  { period, userIds }: Asked,
): Promise<void> {
  const author = await loadPerson(app.database, actor.userId ?? 0)
  const span = spanOf(period, shanghaiDay(app.now()))
  // says itself what is wrong with list, filter or columns
  if (wanted.kind === 'LIST') {
    const ranged = await takesDays(wanted.endpoint ?? '')
    await planExport(author, paramsOf(wanted, ranged ? span : null))
    if (span && !ranged) throw fieldRefusal(subscriptionErrors.noPeriod, 'period')
  }
  if (userIds.length && !actor.permissions.has('user:lookup')) throw new Refusal(common.forbidden)
  for (const id of userIds) {
    const person = await loadPerson(app.database, id)
    if (person?.orgId !== actor.orgId) throw fieldRefusal(common.notFound, 'userIds')
    if (!(await mayHave(person, wanted, span)))
      throw fieldRefusal(subscriptionErrors.mayNot, 'userIds')
  }
}

const get = async (ctx: Ctx, id: number) => q.shown(ctx, await q.row(ctx, id))
/** Whoever only gets it finds it, and may change nothing of it. */
async function getOwn(ctx: Ctx, id: number): Promise<SubscriptionRow> {
  const row = await q.row(ctx, id)
  if (row.userId !== ctx.actor.userId) throw new Refusal(common.notFound)
  return q.shown(ctx, row)
}

/** Who gets it from now on: the author always. */
async function setPeople(ctx: Ctx, id: number, userIds: readonly number[]): Promise<void> {
  const all = [ctx.actor.userId as number, ...userIds]
  await sql`delete from subscription_people
    where subscription_id = ${id} and not user_id = any(${all}::bigint[])`.execute(ctx.db)
  await sql`insert into subscription_people (subscription_id, org_id, user_id)
    select ${id}::bigint, u.org_id, u.id from users u
    where u.id = any(${all}::bigint[]) and u.org_id = ${ctx.actor.orgId} order by u.id
    on conflict (subscription_id, user_id) do update set state = 'ACTIVE'
      where subscription_people.state = 'ENDED'`.execute(ctx.db)
}

type Given = 'org_id' | 'user_id' | 'lang' | 'since' | 'created_at'
type Fields = Omit<InsertObject<DB, 'subscriptions'>, Given>
async function insert(ctx: Ctx, fields: Fields, userIds: readonly number[], orgId?: number) {
  q.lockPerson(ctx)
  if ((await q.openCount(ctx)) >= subscriptionLimits.each)
    throw new Refusal(subscriptionErrors.tooMany)
  const { id } = await ctx.db
    .insertInto('subscriptions')
    .values({
      ...fields,
      ...{ org_id: ctx.actor.orgId, user_id: ctx.actor.userId as number, lang: ctx.lang },
      ...{ since: ctx.now, created_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setPeople(ctx, id, userIds)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, after, ...(orgId === undefined ? {} : { orgId }) })
  told(ctx)
  return after
}
const told = (ctx: Ctx) => ctx.touch(`jobs:${ctx.actor.userId}`)

const create = prepared<Contract['create'], null>({
  async prepare(app, { endpoint, query, columns, ...asked }, _request, actor) {
    const wanted = { kind: 'LIST' as const, endpoint, query, columns, subjectId: null }
    await checkPeople(app, actor, wanted, asked)
    return null
  },
  async run(ctx, { endpoint, query, columns: shown, userIds, ...fields }) {
    const { page: _page, pageSize: _size, from, to, ...filter } = query
    // days that go along take the place of those that were asked for
    const kept = fields.period === 'NONE' ? { ...filter, ...days({ from, to }) } : filter
    const list = { kind: 'LIST' as const, endpoint, query: JSON.stringify(kept), columns: shown }
    return insert(ctx, { ...list, ...columns('subscriptions', fields) }, userIds)
  },
})
const days = (given: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(given).filter(([, day]) => day !== undefined))

const createStatements: Handlers<Contract>['createStatements'] = async (
  ctx,
  { subjectId, ...when },
) => {
  const { name } = await whole(ctx, subjectId)
  const fields = {
    ...{ kind: 'STATEMENT' as const, subject_id: subjectId, name: [...name].slice(0, 50).join('') },
    ...{ ...columns('subscriptions', when), period: statementPeriod[when.every] },
  }
  return insert(ctx, fields, [], subjectId)
}

type Kept = { userId: number } & Wanted
const kept = (ctx: Pick<Ctx, 'db'>, id: number) =>
  rowOf<Kept>(ctx.db)`select user_id as "userId", kind, endpoint, query, columns,
      subject_id as "subjectId" from subscriptions where id = ${id}`

const update = prepared<Contract['update'], null>({
  async prepare(app, { id, ...asked }, _request, actor) {
    const wanted = await app.database.read(actor.scope, (db) => kept({ db }, id))
    if (wanted?.userId !== actor.userId) throw new Refusal(common.notFound)
    await checkPeople(app, actor, wanted, asked)
    return null
  },
  async run(ctx, { id, version, userIds, ...fields }) {
    const before = await getOwn(ctx, id)
    if (before.state === 'ENDED') throw new Refusal(subscriptionErrors.wrongState)
    // statements tell of the time that is over
    const period = before.kind === 'LIST' ? fields.period : statementPeriod[fields.every]
    const set = { ...columns('subscriptions', { ...fields, period }), since: ctx.now }
    await updateVersion(ctx, 'subscriptions', { id, version }, set)
    await setPeople(ctx, id, before.kind === 'LIST' ? userIds : [])
    const after = await get(ctx, id)
    ctx.audit({ id, name: after.name, before, after })
    told(ctx)
    return after
  },
})

const moved =
  (next: State): Handlers<Contract>['pause'] =>
  async (ctx, { id, version }) => {
    const before = await getOwn(ctx, id)
    if (!stateFrom(next).includes(before.state)) throw new Refusal(subscriptionErrors.wrongState)
    await updateVersion(ctx, 'subscriptions', { id, version }, { state: next, since: ctx.now })
    const after = await get(ctx, id)
    const states = { before: { state: before.state }, after: { state: after.state } }
    ctx.audit({ id, name: after.name, ...states })
    told(ctx)
    return after
  }

const run: Handlers<Contract>['run'] = async (ctx, { id }) => {
  const before = await getOwn(ctx, id)
  if (!before.can.run) throw new Refusal(subscriptionErrors.wrongState)
  q.lockPerson(ctx)
  if ((await q.handRuns(ctx)) >= subscriptionLimits.byHand)
    throw new Refusal(subscriptionErrors.tooOften)
  const day = shanghaiDay(ctx.now)
  await enqueue(
    ctx,
    [{ id, day, span: spanFor(before, before, day), at: ctx.now }],
    ctx.actor.userId,
  )
  ctx.audit({ id, name: before.name })
  ctx.afterCommit(() => ctx.app.jobs.poke(filesName))
  told(ctx)
  return { ok: true as const }
}

const leave: Handlers<Contract>['leave'] = async (ctx, { id }) => {
  const { name, userId } = await q.row(ctx, id)
  if (userId === ctx.actor.userId) throw new Refusal(common.notFound)
  await sql`update subscription_people set state = 'LEFT' where subscription_id = ${id}
    and user_id = ${ctx.actor.userId} and ${visible(ctx, 'org_id')}`.execute(ctx.db)
  ctx.audit({ id, name })
  told(ctx)
  return { ok: true as const }
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await getOwn(ctx, id)
  await deleteVersion(ctx, 'subscriptions', { id, version })
  ctx.audit({ id, name: before.name, before })
  told(ctx)
  return { ok: true as const }
}

/** Whose session it is hears of it in the app: an open one may be in other hands. */
const setAddress: Handlers<Contract>['setAddress'] = async (ctx, { address }) => {
  const userId = ctx.actor.userId as number
  const before = await q.addressOf(ctx, userId)
  if (address)
    await sql`insert into mail_addresses (user_id, org_id, address, changed_at)
      values (${userId}, ${ctx.actor.orgId}, ${address}, ${ctx.now})
      on conflict (user_id) do update set org_id = excluded.org_id, address = excluded.address,
        changed_at = excluded.changed_at`.execute(ctx.db)
  else await sql`delete from mail_addresses where user_id = ${userId}`.execute(ctx.db)
  if (address) await askRecipients(ctx, ctx.actor.orgId, [address])
  const after = await q.addressOf(ctx, userId)
  if (after.address !== before.address) {
    const text = (key: 'title' | 'body') => bi(locale.zh.addressSet[key], locale.en.addressSet[key])
    const note = { kind: 'SYSTEM', title: text('title'), body: text('body') } as const
    await notify(ctx, { ...note, link: '/subscriptions', userIds: [userId] })
  }
  ctx.audit({ id: userId, name: ctx.actor.username, before, after })
  return after
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: await Promise.all(rows.map((row) => q.shown(ctx, row))), total }
  },
  get: (ctx, { id }) => get(ctx, id),
  async runs(ctx, input) {
    await q.row(ctx, input.id)
    const { rows, total } = await q.listRuns(ctx, input)
    return { list: rows, total }
  },
  create,
  createStatements,
  update,
  pause: moved('PAUSED'),
  resume: moved('ACTIVE'),
  remove,
  run,
  leave,
  address: (ctx) => q.addressOf(ctx, ctx.actor.userId as number),
  setAddress,
}
