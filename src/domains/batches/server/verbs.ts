import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, owns, visible } from '../../../server/context.ts'
import { columns, deleteVersion, guarding } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, type ErrorDef, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import { knowsCost } from '../../products/server/cost.ts'
import type { BatchRow, batches } from '../contract.ts'
import { batchErrors, producedRule } from '../rules.ts'
import { boardHandlers } from './board.ts'
import { codeHandlers } from './codes.ts'
import { followDates } from './expiry.ts'
import { get, getOwn, shown } from './one.ts'
import * as q from './queries.ts'
import { holdBatch, recallHandlers } from './recall.ts'

type Contract = typeof batches

/** The database guards what is unique, and whose product it may be. */
async function guarded<R>(work: Promise<R>, rule: ErrorDef, field: string): Promise<R> {
  try {
    return await guarding({ batches_number: [batchErrors.numberTaken, 'batchNo'] })(work)
  } catch (error) {
    throw (error as { code?: string }).code === '23514' ? fieldRefusal(rule, field) : error
  }
}

async function checkFields(
  ctx: Ctx,
  fields: Input<Contract['create']> | Input<Contract['update']>,
  report = '',
): Promise<void> {
  const wrong = producedRule(fields, shanghaiDay(ctx.now))
  if (wrong) throw fieldRefusal(wrong, 'producedOn')
  const pictures = fields.report && fields.report !== report ? [fields.report] : []
  if ((await missingPictures(ctx, pictures, visible(ctx, 'u.org_id'))).length)
    throw fieldRefusal(common.notFound, 'report')
}

/** A batch that is not yet in the log. */
export async function addBatch(ctx: Ctx, fields: Input<Contract['create']>): Promise<BatchRow> {
  const [supplier, product] = await Promise.all([
    q.supplierOf(ctx, fields.supplierId),
    q.productOf(ctx, fields.productId),
  ])
  if (!product) throw fieldRefusal(common.notFound, 'productId')
  if (!supplier) throw fieldRefusal(common.notFound, 'supplierId')
  const { orgId, enabled, licenceUntil } = supplier
  if (!enabled) throw fieldRefusal(batchErrors.supplierOff, 'supplierId')
  if (product.isDrug && licenceUntil !== null && licenceUntil < shanghaiDay(ctx.now))
    throw fieldRefusal(batchErrors.licenceEnded, 'supplierId')
  await checkFields(ctx, fields)
  const values = { ...columns('batches', fields), org_id: orgId, created_at: ctx.now }
  const { id } = await guarded(
    ctx.db.insertInto('batches').values(values).returning('id').executeTakeFirstOrThrow(),
    batchErrors.productElsewhere,
    'productId',
  )
  return get(ctx, id)
}

/** What a supplier delivers stands in his own log: he stands below who buys. */
export const entryOf = (ctx: Ctx, after: BatchRow) => ({
  id: after.id,
  name: after.batchNo,
  after,
  ...(owns(ctx, after.orgId) ? { orgId: after.orgId } : {}),
})

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const after = await addBatch(ctx, input)
  ctx.audit(entryOf(ctx, after))
  ctx.touch('batches', after.orgId)
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...fields }) => {
  const before = await getOwn(ctx, id)
  await checkFields(ctx, { id, version, ...fields }, before.report)
  // what he does not see he does not change
  const { cost_price, ...others } = columns('batches', fields)
  const set = knowsCost(ctx, before.orgId) ? { ...others, cost_price } : others
  const lanes = await guarded(
    holdBatch(ctx, { id, version }, set),
    batchErrors.lessThanLoaded,
    'receivedQty',
  )
  await followDates(ctx, lanes)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.batchNo, before, after, orgId: before.orgId })
  ctx.touch('batches', before.orgId)
  return after
}

const addCodes: Handlers<Contract>['addCodes'] = async (ctx, { id, codes }) => {
  const batch = await getOwn(ctx, id)
  const { batchNo, orgId } = batch
  const added = await q.addCodes(
    ctx,
    codes.map((code) => ({ code, batchId: id, orgId })),
  )
  const taken = codes.filter((code) => !added.has(code))
  if (taken.length) {
    const values = { codes: taken.slice(0, 10).join(' ') }
    throw fieldRefusal(batchErrors.codesTaken, 'codes', values)
  }
  ctx.audit({ id, name: batchNo, after: { added: codes.length, first: codes[0] }, orgId })
  return { added: codes.length }
}

/** One that was never loaded, never had a code, and of which nothing is told. */
const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await getOwn(ctx, id)
  if (before.status === 'RECALLED' || (await q.wasUsed(ctx, id)))
    throw new Refusal(batchErrors.used)
  try {
    await deleteVersion(ctx, 'batches', { id, version })
  } catch (error) {
    throw (error as { code?: string }).code === '23503' ? new Refusal(batchErrors.used) : error
  }
  ctx.audit({ id, name: before.batchNo, before, orgId: before.orgId })
  ctx.touch('batches', before.orgId)
  return {}
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  create,
  update,
  async recallPreview(ctx, { id }) {
    await get(ctx, id)
    return q.touched(ctx, id)
  },
  ...recallHandlers,
  ...boardHandlers,
  ...codeHandlers,
  remove,
  addCodes,
}
