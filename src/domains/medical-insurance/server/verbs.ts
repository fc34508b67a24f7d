import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns } from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { productErrors } from '../../products/rules.ts'
import type { ItemRow, medicalInsurance } from '../contract.ts'
import { drugRule, insuranceErrors } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof medicalInsurance

function shown(ctx: Ctx, { orgId, ...row }: q.Row): ItemRow {
  const owned = owns(ctx, orgId)
  return {
    ...row,
    source: owned ? 'OWN' : 'INHERITED',
    can: {
      update: owned && may(ctx, 'medical-insurance:update'),
      delete: owned && may(ctx, 'medical-insurance:delete'),
    },
  }
}
/** One of an organisation above can be seen but not changed. */
async function own(ctx: Ctx, id: number): Promise<q.Row> {
  const row = found(await q.row(ctx, id))
  if (!owns(ctx, row.orgId)) throw new Refusal(productErrors.inherited)
  return row
}

/** The database guards the periods: two who add at once meet there. */
const apart = guarding({
  medical_insurance_product: [insuranceErrors.productTaken, 'productId'],
  medical_insurance_code: [insuranceErrors.codeTaken, 'insuranceCode'],
})

/** An entry of a drug of one's own, not yet in the log. */
export async function addItem(
  ctx: Ctx,
  product: q.Product,
  { productId: _, ...fields }: Input<Contract['create']>,
): Promise<ItemRow> {
  if (!owns(ctx, product.orgId)) throw new Refusal(productErrors.inherited)
  const wrong = drugRule(product)
  if (wrong) throw fieldRefusal(wrong, 'productId')
  const of = { product_id: product.id, org_id: product.orgId, created_at: ctx.now }
  const { id } = await apart(
    ctx.db
      .insertInto('medical_insurance_items')
      .values({ ...columns('medical_insurance_items', fields), ...of })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  return shown(ctx, found(await q.row(ctx, id)))
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const product = await q.productOf(ctx, input.productId)
  if (!product) throw fieldRefusal(common.notFound, 'productId')
  const after = await addItem(ctx, product, input)
  ctx.audit({ id: after.id, name: product.name, after, orgId: product.orgId })
  ctx.touch('medical-insurance')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...fields }) => {
  const row = await own(ctx, id)
  const set = columns('medical_insurance_items', fields)
  await apart(updateVersion(ctx, 'medical_insurance_items', { id, version }, set))
  const after = shown(ctx, found(await q.row(ctx, id)))
  ctx.audit({ id, name: row.productName, before: shown(ctx, row), after, orgId: row.orgId })
  ctx.touch('medical-insurance')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const row = await own(ctx, id)
  await deleteVersion(ctx, 'medical_insurance_items', { id, version })
  ctx.audit({ id, name: row.productName, before: shown(ctx, row), orgId: row.orgId })
  ctx.touch('medical-insurance')
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  create,
  update,
  remove,
}
