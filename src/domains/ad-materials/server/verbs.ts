import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { takeMedia } from '../../files/server/media.ts'
import { missingPictures, uploadedBy } from '../../files/server/pictures.ts'
import {
  adMaterialErrors,
  type adMaterials,
  type CreativeRow,
  type MaterialRow,
} from '../contract.ts'
import {
  materialStates,
  ownerRule,
  reviewedAnew,
  secondsOf,
  startState,
  wordsFinding,
} from '../rules.ts'
import * as q from './queries.ts'
import { takeOver } from './replace.ts'

type Contract = typeof adMaterials

const shown = (ctx: Ctx, row: q.Row): MaterialRow => ({
  ...row,
  can: {
    update: may(ctx, 'ad-material:update'),
    delete: may(ctx, 'ad-material:delete'),
    review: may(ctx, 'ad-material:review') && row.state === 'PENDING',
    replace: may(ctx, 'ad-material:update') && may(ctx, 'ad-material:create'),
    creative: may(ctx, 'ad-material:create'),
  },
})
const shownCreative = (ctx: Ctx, row: q.Creative): CreativeRow => ({
  ...row,
  can: { update: may(ctx, 'ad-material:update'), delete: may(ctx, 'ad-material:delete') },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))
const getCreative = async (ctx: Ctx, id: number) =>
  shownCreative(ctx, found(await q.creativeRow(ctx, id)))

/** The database guards what is unique: rows of others are not seen. */
const unique = guarding({ ad_materials_org_id_sha256_key: [adMaterialErrors.taken, 'file'] })

type Upload = {
  kind: 'IMAGE' | 'VIDEO'
  sha256: string
  bytes: number
  width: number
  height: number
  durationMs: number | null
}
/** What was read of a file when he uploaded it. */
async function uploaded(ctx: Ctx, url: string) {
  const gone = () => fieldRefusal(adMaterialErrors.missingFile, 'file')
  if ((await missingPictures(ctx, [url], uploadedBy(ctx))).length) throw gone()
  const read = await rowOf<Upload>(ctx.db)`select kind, sha256, bytes, width, height,
    duration_ms as "durationMs" from uploads where url = ${url} and width is not null`
  if (!read) throw gone()
  return { file: url, ...columns('ad_materials', read) }
}
const today = (ctx: Ctx) => shanghaiDay(ctx.now)

const create: Handlers<Contract>['create'] = async (ctx, { orgId, file, ...fields }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  const finding = wordsFinding(fields, today(ctx))
  if (finding) throw fieldRefusal(finding.def, finding.at)
  const values = {
    ...(await uploaded(ctx, file)),
    ...columns('ad_materials', fields),
    ...{ org_id: owner.id, state: startState(owner.kind) },
    ...{ created_by: ctx.actor.userId, created_at: ctx.now },
  }
  const { id } = await unique(
    ctx.db.insertInto('ad_materials').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, after, orgId: owner.id })
  ctx.touch('ad-materials', [owner.id])
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...fields }) => {
  const before = await get(ctx, id)
  // an old last day may stay: only another one has to lie ahead
  const asked = {
    ...fields,
    validUntil: before.validUntil === fields.validUntil ? null : fields.validUntil,
  }
  const finding = wordsFinding(asked, today(ctx))
  if (finding) throw fieldRefusal(finding.def, finding.at)
  const { kind } = await newOwner(ctx, before.orgId)
  const anew = reviewedAnew(before, fields)
    ? {
        ...{ state: startState(kind), reason: '', reviewed_by: null, reviewed_at: null },
        changed_by: ctx.actor.userId,
      }
    : {}
  await updateVersion(
    ctx,
    'ad_materials',
    { id, version },
    { ...columns('ad_materials', fields), ...anew, told_days: null },
  )
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('ad-materials', [before.orgId])
  return after
}

const review: Handlers<Contract>['review'] = async (ctx, { id, version, approve, reason }) => {
  const before = await get(ctx, id)
  const to = approve ? 'APPROVED' : 'REJECTED'
  if (!allowedFrom(materialStates, to).includes(before.state))
    throw new Refusal(adMaterialErrors.notPending)
  if (!approve && reason === '') throw fieldRefusal(adMaterialErrors.reason, 'reason')
  const { own } = found(
    await rowOf<{ own: boolean }>(ctx.db)`select coalesce(${ctx.actor.userId}::bigint
        in (created_by, changed_by), false) as own from ad_materials where id = ${id}`,
  )
  if (own) throw new Refusal(adMaterialErrors.ownReview)
  await updateVersion(
    ctx,
    'ad_materials',
    { id, version },
    {
      ...{ state: to, reason: approve ? '' : reason },
      ...{ reviewed_by: ctx.actor.userId, reviewed_at: ctx.now },
    },
  )
  if (approve) await takeOver(ctx, id)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('ad-materials', [before.orgId])
  return after
}

/** Not the file of the same material: what was reviewed, and what played, keeps its own. */
const replace: Handlers<Contract>['replace'] = async (ctx, { id, version, file }) => {
  const before = await get(ctx, id)
  const { kind } = await newOwner(ctx, before.orgId)
  const read = await uploaded(ctx, file)
  if (read.kind !== before.kind) throw fieldRefusal(adMaterialErrors.otherKind, 'file')
  // its version, so that two who replace it at once do not both
  await updateVersion(ctx, 'ad_materials', { id, version }, { told_days: null })
  const waits = await rowOf(ctx.db)`select id from ad_materials
    where replaces_id = ${id} and state = 'PENDING'`
  if (waits) throw new Refusal(adMaterialErrors.waits)
  const { name, tags, licenceNo, validUntil } = before
  const { id: made } = await unique(
    ctx.db
      .insertInto('ad_materials')
      .values({
        ...read,
        ...columns('ad_materials', { name, tags, licenceNo, validUntil }),
        ...{ org_id: before.orgId, state: startState(kind), replaces_id: id },
        ...{ created_by: ctx.actor.userId, created_at: ctx.now },
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, made)
  if (after.state === 'APPROVED') await takeOver(ctx, made)
  ctx.audit({ id: made, name, before, after, orgId: before.orgId })
  ctx.touch('ad-materials', [before.orgId])
  return get(ctx, made)
}

/** Creatives that nobody shows go with it; a group that takes one meanwhile keeps it (its key). */
const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  if (before.refCount > 0) throw new Refusal(adMaterialErrors.inUse)
  await deleteVersion(ctx, 'ad_materials', { id, version })
  ctx.audit({ id, name: before.name, before, orgId: before.orgId })
  ctx.touch('ad-materials', [before.orgId])
  return { ok: true as const }
}

const createCreative: Handlers<Contract>['createCreative'] = async (ctx, input) => {
  const { materialId, ...fields } = input
  const of = await q.row(ctx, materialId)
  if (!of) throw fieldRefusal(adMaterialErrors.notHere, 'materialId')
  const { id } = await ctx.db
    .insertInto('ad_creatives')
    .values({
      ...columns('ad_creatives', fields),
      ...{ seconds: secondsOf(of.durationMs, fields.seconds), material_id: materialId },
      ...{ org_id: of.orgId, created_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const after = await getCreative(ctx, id)
  ctx.audit({ id, name: after.title, after, orgId: of.orgId })
  ctx.touch('ad-materials', [of.orgId])
  return after
}

const updateCreative: Handlers<Contract>['updateCreative'] = async (ctx, input) => {
  const { id, version, ...fields } = input
  const before = await getCreative(ctx, id)
  const of = found(await q.row(ctx, before.materialId))
  const seconds = secondsOf(of.durationMs, fields.seconds)
  await updateVersion(
    ctx,
    'ad_creatives',
    { id, version },
    {
      ...columns('ad_creatives', fields),
      seconds,
    },
  )
  const after = await getCreative(ctx, id)
  ctx.audit({ id, name: after.title, before, after, orgId: before.orgId })
  ctx.touch('ad-materials', [before.orgId])
  return after
}

const removeCreative: Handlers<Contract>['removeCreative'] = async (ctx, { id, version }) => {
  const before = await getCreative(ctx, id)
  if (before.refCount > 0) throw new Refusal(adMaterialErrors.inUse)
  await deleteVersion(ctx, 'ad_creatives', { id, version })
  ctx.audit({ id, name: before.title, before, orgId: before.orgId })
  ctx.touch('ad-materials', [before.orgId])
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  options: async (ctx, { orgId }) => ({ list: await q.options(ctx, orgId) }),
  get: (ctx, { id }) => get(ctx, id),
  upload: prepared<Contract['upload'], string>({
    prepare: (app, _input, request, actor) => takeMedia(app, request, actor),
    run: async (_ctx, _input, file) => ({ file }),
  }),
  create,
  update,
  review,
  replace,
  async references(ctx, { id }) {
    await get(ctx, id)
    return { list: await q.references(ctx, id) }
  },
  remove,
  async creatives(ctx, input) {
    const { rows, total } = await q.listCreatives(ctx, input)
    return { list: rows.map((row) => shownCreative(ctx, row)), total }
  },
  createCreative,
  updateCreative,
  removeCreative,
}
