import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { hashPassword, nearWords } from '../../../server/passwords.ts'
import { updateVersion } from '../../../server/shapes.ts'
import { hashing, tenantOf } from '../../../server/shares.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { placeName } from '../../../shared/regions.ts'
import { pauseDevicesOf } from '../../devices/server/verbs.ts'
import { roleName } from '../../roles/rules.ts'
import { creatableKinds, outranksBranch } from '../../roles/server/assign.ts'
import { passwordRule } from '../../session/rules.ts'
import { userErrors } from '../../users/contract.ts'
import { maskedPhone } from '../../users/rules.ts'
import { type OrganisationDetail, organisationErrors, type organisations } from '../contract.ts'
import { kindsBelow } from '../rules.ts'
import {
  addOrganisation,
  barTo,
  checkMove,
  guard,
  unique,
  withOrganisations,
  written,
} from './placing.ts'
import { checkPictures, editPrincipal } from './principal.ts'
import * as q from './queries.ts'
import { blocksOf, deleteWithPeople } from './removal.ts'

type Contract = typeof organisations

function shown<O extends q.Row>(ctx: Ctx, { roles, regionCode, ...org }: O) {
  const free = barTo(ctx, org) === null
  return {
    ...org,
    roleName: roles.map((role) => roleName(role, ctx.lang)).join(ctx.lang === 'en' ? ', ' : '、'),
    role: roles[0]?.code ?? '',
    area: placeName(regionCode),
    phone: maskedPhone(org.phone),
    can: {
      update: may(ctx, 'org:update'),
      disable: free && may(ctx, 'org:update'),
      move: free && may(ctx, 'org:move'),
      delete: free && may(ctx, 'org:delete'),
    },
  }
}

/** The whole phone is for whoever may change it. */
const whole = (ctx: Ctx, org: q.Detail): OrganisationDetail => ({
  ...shown(ctx, org),
  phone: may(ctx, 'org:update') ? org.phone : maskedPhone(org.phone),
  regionCode: org.regionCode,
  roleIds: org.roles.map((role) => role.id),
  roles: org.roles.map((role) => ({ id: role.id, name: roleName(role, ctx.lang) })),
})
const detail = async (ctx: Ctx, id: number): Promise<OrganisationDetail> =>
  whole(ctx, found(await q.detailRow(ctx, id)))

const creatable: Handlers<Contract>['creatable'] = async (ctx, input) => {
  const parent = found(await q.place(ctx, input.parentId ?? ctx.actor.orgId))
  const mine = new Set(await creatableKinds(ctx))
  return { name: parent.name, kinds: kindsBelow(parent.kind).filter((kind) => mine.has(kind)) }
}

const create = prepared<Contract['create'], string>({
  async prepare(app, input, _request, actor) {
    const wrong = passwordRule(input.password, input.username, nearWords([input.name]))
    if (wrong) throw fieldRefusal(wrong, 'password')
    return hashing(app).take(tenantOf(actor), () => hashPassword(input.password))
  },
  async run(ctx, input, passwordHash) {
    const { password: _, repeat: __, ...rest } = input
    const id = await addOrganisation(ctx, rest, passwordHash)
    const made = await detail(withOrganisations(ctx, [id]), id)
    ctx.audit({ id: made.id, name: made.name, after: made, orgId: made.id })
    return made
  },
})

const update: Handlers<Contract>['update'] = async (ctx, input) => {
  const raw = found(await q.detailRow(ctx, input.id))
  await checkPictures(ctx, [input.avatar, ...input.licences], [raw.avatar, ...raw.licences])
  await unique(
    updateVersion(ctx, 'organisations', input, { ...written(input), updated_at: ctx.now }),
  )
  const principal = await editPrincipal(ctx, raw, input)
  const after = await detail(ctx, input.id)
  ctx.audit(
    { id: input.id, name: after.name, before: whole(ctx, raw), after, orgId: input.id },
    ...principal,
  )
  ctx.touch('organisations')
  return after
}

/** What stops or moves an organisation reaches everybody who works there and below. */
async function requireRank(ctx: Ctx, path: string): Promise<void> {
  if (!(await outranksBranch(ctx, path))) throw new Refusal(userErrors.rankTooHigh)
}

type Status = { status: 'ENABLED' | 'DISABLED'; pauseDevices: boolean }
/**
 * Rows in the order of their ids, so that crossing batches wait for one another. Answers the
 * numbers of the paused machines.
 */
async function changeStatus(
  ctx: Ctx,
  items: readonly { id: number; version: number }[],
  { status, pauseDevices }: Status,
): Promise<string[]> {
  const changed: q.Place[] = []
  // whoever may not touch machines does not stop them through their owner either
  if (pauseDevices && !may(ctx, 'device:update')) throw new Refusal(common.forbidden)
  for (const item of items.toSorted((a, b) => a.id - b.id)) {
    const org = found(await q.place(ctx, item.id))
    guard(ctx, org)
    await requireRank(ctx, org.path)
    await updateVersion(ctx, 'organisations', item, { status, updated_at: ctx.now })
    changed.push(org)
  }
  // whoever works there or below looks at once whether he is still let in
  for (const org of changed) if (org.status !== status) ctx.touch('organisations', org.id)
  const ids = changed.map((org) => org.id)
  const paused = await pauseDevicesOf(
    ctx,
    status === 'DISABLED' && pauseDevices ? await q.idsBelow(ctx, ids) : [],
  )
  ctx.audit(
    ...changed.map(({ id, name, ...org }) => ({
      id,
      name,
      before: { status: org.status },
      after: { status, paused },
      orgId: id,
    })),
  )
  return paused
}

const setStatus: Handlers<Contract>['setStatus'] = async (ctx, input) => {
  await changeStatus(ctx, [input], input)
  return detail(ctx, input.id)
}

const setStatuses: Handlers<Contract>['setStatuses'] = async (ctx, input) => {
  const items = [...new Map(input.items.map((item) => [item.id, item])).values()]
  const paused = await changeStatus(ctx, items, input)
  return { changed: items.length, paused: paused.length }
}

const impact: Handlers<Contract>['impact'] = async (ctx, input) => {
  const org = found(await q.place(ctx, input.id))
  const { organisations: all, users, devices, operating } = await q.reach(ctx, [org.id])
  return {
    name: org.name,
    children: all - 1,
    users,
    devices,
    operating,
    blocks: await blocksOf(ctx, org.id),
  }
}

const previewMove: Handlers<Contract>['previewMove'] = async (ctx, input) => {
  const org = found(await q.place(ctx, input.id))
  const { organisations: all, users, devices } = await q.reach(ctx, [org.id])
  const counts = { name: org.name, organisations: all, users, devices }
  if (input.parentId === undefined) return { ...counts, parentName: '' }
  guard(ctx, org)
  const target = await checkMove(ctx, org, input.parentId)
  if (await q.hasChild(ctx, target.id, org.name))
    throw fieldRefusal(organisationErrors.nameTaken, 'parentId')
  return { ...counts, parentName: target.name }
}

const move: Handlers<Contract>['move'] = async (ctx, input) => {
  await q.lockMoves(ctx)
  const seen = found(await q.place(ctx, input.id))
  guard(ctx, seen)
  await q.lockBranch(ctx, seen.path)
  const org = found(await q.place(ctx, input.id))
  if (org.version !== input.version) throw new Refusal(common.stale)
  await requireRank(ctx, org.path)
  found(await q.place(ctx, input.parentId, 'share'))
  const target = await checkMove(ctx, org, input.parentId)
  await unique(q.moveBranch(ctx, org, target))
  ctx.audit({
    id: org.id,
    name: org.name,
    before: { parentId: org.parentId, path: org.path },
    after: { parentId: target.id, parent: target.name },
    orgId: org.id,
  })
  for (const topic of ['organisations', 'devices', 'users']) ctx.touch(topic)
  return detail(ctx, org.id)
}

const remove: Handlers<Contract>['remove'] = async (ctx, input) => {
  const org = found(await q.place(ctx, input.id, 'update'))
  guard(ctx, org)
  if (org.version !== input.version) throw new Refusal(common.stale)
  const before = await detail(ctx, org.id)
  const what = await blocksOf(ctx, org.id)
  if (what) throw new Refusal(organisationErrors.notEmpty, { what })
  await deleteWithPeople(ctx, input)
  // nobody sees rows of an organisation that is gone: the log row belongs to the one above
  ctx.audit({ id: org.id, name: org.name, before, orgId: org.parentId ?? ctx.actor.orgId })
  ctx.touch('organisations')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  creatable,
  get: (ctx, input) => detail(ctx, input.id),
  impact,
  create,
  update,
  setStatus,
  setStatuses,
  previewMove,
  move,
  remove,
}
