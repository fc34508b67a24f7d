import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, owns } from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import type { InvoiceRow, invoices, TitleRow } from '../contract.ts'
import {
  counts,
  type InvoiceState,
  invoiceErrors,
  invoiceMoves,
  taxOf,
  titleFindings,
} from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof invoices

const shownTitle = (ctx: Ctx, row: q.Title): TitleRow => ({
  ...row,
  can: { update: may(ctx, 'invoice:create'), delete: may(ctx, 'invoice:create') },
})
const from = (state: InvoiceState, to: InvoiceState) => invoiceMoves[to].includes(state)
/** Who collected the money decides; who asked takes back. */
const shown = (ctx: Ctx, row: q.Row): InvoiceRow => {
  const issuer = owns(ctx, row.issuerOrgId)
  return {
    ...row,
    can: {
      decide: issuer && may(ctx, 'invoice:approve') && from(row.state, 'ISSUING'),
      issue: issuer && may(ctx, 'invoice:issue') && from(row.state, 'ISSUED'),
      red: issuer && may(ctx, 'invoice:issue') && from(row.state, 'RED'),
      cancel: may(ctx, 'invoice:create') && from(row.state, 'CANCELLED'),
    },
  }
}
const getTitle = async (ctx: Ctx, id: number) => shownTitle(ctx, found(await q.titleRow(ctx, id)))
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))

const unique = guarding({
  invoice_titles_org_id_title_tax_no_key: [invoiceErrors.titleTaken, 'title'],
  invoices_issued_no: [invoiceErrors.issuedTaken, 'issuedNo'],
})
/** One usual title of an organisation: the one before it steps back. */
const onlyDefault = (ctx: Ctx, orgId: number, isDefault: boolean) =>
  isDefault &&
  sql`update invoice_titles set is_default = false, version = version + 1
    where org_id = ${orgId} and is_default`.execute(ctx.db)

const createTitle: Handlers<Contract>['createTitle'] = async (ctx, { orgId, ...fields }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  await onlyDefault(ctx, owner.id, fields.isDefault)
  const { id } = await unique(
    ctx.db
      .insertInto('invoice_titles')
      .values({
        ...columns('invoice_titles', fields),
        ...{ org_id: owner.id, created_at: ctx.now },
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const after = await getTitle(ctx, id)
  ctx.audit({ id, name: after.title, after, orgId: owner.id })
  ctx.touch('invoices', [owner.id])
  return after
}
const updateTitle: Handlers<Contract>['updateTitle'] = async (ctx, { id, version, ...fields }) => {
  const before = await getTitle(ctx, id)
  if (!before.isDefault) await onlyDefault(ctx, before.orgId, fields.isDefault)
  await unique(
    updateVersion(ctx, 'invoice_titles', { id, version }, columns('invoice_titles', fields)),
  )
  const after = await getTitle(ctx, id)
  ctx.audit({ id, name: after.title, before, after, orgId: before.orgId })
  ctx.touch('invoices', [before.orgId])
  return after
}
const removeTitle: Handlers<Contract>['removeTitle'] = async (ctx, { id, version }) => {
  const before = await getTitle(ctx, id)
  await deleteVersion(ctx, 'invoice_titles', { id, version })
  ctx.audit({ id, name: before.title, before, orgId: before.orgId })
  ctx.touch('invoices', [before.orgId])
  return { ok: true as const }
}

/** What is left of orders goes on an invoice; of two who ask for the same one gets it. */
const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const title = await q.titleRow(ctx, input.titleId)
  if (!title) throw fieldRefusal(common.notFound, 'titleId')
  const [lacking] = titleFindings(input.kind, title)
  if (lacking) throw new Refusal(common.invalid, {}, [{ field: 'titleId', text: lacking.text }])
  const orders = await q.ordersNamed(ctx, input.orderNums)
  if (orders.length !== input.orderNums.length) throw fieldRefusal(common.notFound, 'orderNums')
  const [first] = orders as [q.Sold, ...q.Sold[]]
  if (orders.some(({ over, most }) => !over || most <= 0))
    throw fieldRefusal(invoiceErrors.notPaid, 'orderNums')
  if (orders.some(({ issuer, orgId }) => issuer !== first.issuer || orgId !== first.orgId))
    throw fieldRefusal(invoiceErrors.manyIssuers, 'orderNums')
  const asked = orders.map((order) => ({ ...order, amount: order.most - order.invoiced }))
  if (asked.some(({ amount }) => amount <= 0) || (await q.take(ctx, asked)) !== asked.length)
    throw fieldRefusal(invoiceErrors.overAmount, 'orderNums')
  const amount = asked.reduce((sum, order) => sum + order.amount, 0)
  const { title: name, taxNo, address, phone, bank, bankAccount } = title
  const { id } = await ctx.db
    .insertInto('invoices')
    .values({
      ...{ org_id: first.orgId, issuer_org_id: first.issuer, source: 'ORDERS', kind: input.kind },
      request_no: `FP${shanghaiDay(ctx.now).replaceAll('-', '')}${String(randomInt(1e12)).padStart(12, '0')}`,
      title: JSON.stringify({ title: name, taxNo, address, phone, bank, bankAccount }),
      ...{ amount, tax_rate_bp: input.taxRateBp, tax_amount: taxOf(amount, input.taxRateBp) },
      ...{ email: input.email || title.email, requested_by: ctx.actor.userId as number },
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .insertInto('invoice_items')
    .values(
      asked.map((order) => ({
        ...{ invoice_id: id, org_id: order.orgId, device_id: order.deviceId },
        ...{ source_id: order.id, source_at: order.at, source_no: order.orderNum },
        amount: order.amount,
      })),
    )
    .execute()
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.requestNo, after, orgId: after.orgId })
  ctx.touch('invoices', [after.orgId, after.issuerOrgId])
  return after
}

type Step = { readonly id: number; readonly version: number }
async function move(
  ctx: Ctx,
  { id, version }: Step,
  to: InvoiceState,
  set: Record<string, unknown>,
  issuerOnly: boolean,
): Promise<InvoiceRow> {
  const before = await get(ctx, id)
  if (issuerOnly && !owns(ctx, before.issuerOrgId)) throw new Refusal(invoiceErrors.notIssuer)
  if (!from(before.state, to)) throw new Refusal(invoiceErrors.wrongState)
  // a refund since the request leaves less than it says
  if (to === 'ISSUED' && (await q.overdrawn(ctx, id))) throw new Refusal(invoiceErrors.overAmount)
  await unique(updateVersion(ctx, 'invoices', { id, version }, { ...set, state: to }))
  if (!counts(to)) await q.giveBack(ctx, id)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.requestNo, before, after, orgId: after.orgId })
  ctx.touch('invoices', [after.orgId, after.issuerOrgId])
  return after
}

export const handlers: Handlers<Contract> = {
  async titles(ctx, input) {
    const { rows, total } = await q.titleRows(ctx, input)
    return { list: rows.map((row) => shownTitle(ctx, row)), total }
  },
  createTitle,
  updateTitle,
  removeTitle,
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  create,
  approve: (ctx, step) => move(ctx, step, 'ISSUING', {}, true),
  reject: (ctx, { reason, ...step }) => move(ctx, step, 'REJECTED', { reason }, true),
  cancel: (ctx, step) => move(ctx, step, 'CANCELLED', {}, false),
  issue: (ctx, { issuedNo, ...step }) =>
    move(ctx, step, 'ISSUED', { issued_no: issuedNo, issued_at: ctx.now }, true),
  red: (ctx, { redNo, ...step }) => move(ctx, step, 'RED', { red_no: redNo }, true),
}
