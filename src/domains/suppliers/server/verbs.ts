import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns, visible } from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import type { SupplierRow, suppliers } from '../contract.ts'
import { ownerRule, supplierErrors } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof suppliers

const shown = (ctx: Ctx, row: q.Row): SupplierRow => ({
  ...row,
  can: {
    update: owns(ctx, row.orgId) && may(ctx, 'supplier:update'),
    delete: owns(ctx, row.orgId) && may(ctx, 'supplier:delete'),
  },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))
/** Whom an entry is about may read it, not change it. */
async function getOwn(ctx: Ctx, id: number): Promise<SupplierRow> {
  const row = await get(ctx, id)
  if (!owns(ctx, row.orgId)) throw new Refusal(common.forbidden)
  return row
}

type References = { readonly licence: string; readonly supplierOrgId: number | null }
/** What the entry says already may stay. */
async function checkReferences(
  ctx: Ctx,
  orgId: number,
  input: References,
  before: References = { licence: '', supplierOrgId: null },
): Promise<void> {
  const pictures = input.licence && input.licence !== before.licence ? [input.licence] : []
  if ((await missingPictures(ctx, pictures, visible(ctx, 'u.org_id'))).length)
    throw fieldRefusal(common.notFound, 'licence')
  const { supplierOrgId } = input
  if (supplierOrgId === null || supplierOrgId === before.supplierOrgId) return
  if (!(await q.suppliesTo(ctx, supplierOrgId, orgId)))
    throw fieldRefusal(supplierErrors.wrongOrganisation, 'supplierOrgId')
}

/** The database guards what is unique: rows of others are not seen. */
const unique = guarding({ suppliers_org_id_name_key: [supplierErrors.nameTaken, 'name'] })

const create: Handlers<Contract>['create'] = async (ctx, { orgId, ...fields }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  await checkReferences(ctx, owner.id, fields)
  const values = { ...columns('suppliers', fields), org_id: owner.id, created_at: ctx.now }
  const { id } = await unique(
    ctx.db.insertInto('suppliers').values(values).returning('id').executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, after, orgId: owner.id })
  ctx.touch('suppliers')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...fields }) => {
  const before = await getOwn(ctx, id)
  await checkReferences(ctx, before.orgId, fields, before)
  await unique(updateVersion(ctx, 'suppliers', { id, version }, columns('suppliers', fields)))
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('suppliers')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await getOwn(ctx, id)
  await deleteVersion(ctx, 'suppliers', { id, version })
  ctx.audit({ id, name: before.name, before, orgId: before.orgId })
  ctx.touch('suppliers')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  options: async (ctx, input) => ({ list: await q.options(ctx, input) }),
  create,
  update,
  remove,
}
