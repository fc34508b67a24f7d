import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { countToday } from '../../alerts/server/outbox.ts'
import type { InvoiceDetail, InvoiceRow, invoices, TitleRow } from '../contract.ts'
import {
  concerns,
  counts,
  type InvoiceState,
  invoiceErrors,
  invoiceFrom,
  sendable,
  taxOf,
  titleFinding,
  usualRate,
} from '../rules.ts'
import { upload } from './files.ts'
import { issuingOf } from './issuing.ts'
import { mailsName } from './mail.ts'
import * as q from './queries.ts'
import { giveBack, offered, overdrawn, type Sold, soldNamed, take } from './sources.ts'

type Contract = typeof invoices

/** Requests are filed by the organisation itself; the platform helps where nobody can. */
const files = ({ actor }: Pick<Ctx, 'actor'>, orgId: number): boolean =>
  actor.ofPlatform || actor.orgId === orgId
/** Whoever collected the money decides, and nobody in his place. */
const issues = ({ actor }: Ctx, row: Pick<InvoiceRow, 'issuerOrgId'>): boolean =>
  actor.orgId === row.issuerOrgId
const ownOnly = (ctx: Ctx, orgId: number): void => {
  if (!files(ctx, orgId)) throw new Refusal(invoiceErrors.notOwn)
}

const shownTitle = (ctx: Ctx, row: q.Title): TitleRow => {
  const change = may(ctx, 'invoice:create') && files(ctx, row.orgId)
  return { ...row, can: { update: change, delete: change } }
}
const from = (state: InvoiceState, to: InvoiceState) => invoiceFrom(to).includes(state)
function shown<R extends q.Row>(ctx: Ctx, { filed, ...row }: R) {
  const issuer = issues(ctx, row)
  const approves = issuer && may(ctx, 'invoice:approve')
  const issuing = issuer && may(ctx, 'invoice:issue')
  return {
    ...row,
    can: {
      decide: approves && from(row.state, 'ISSUING'),
      reject: approves && from(row.state, 'REJECTED'),
      issue: issuing && from(row.state, 'ISSUED'),
      send: issuing && sendable(row),
      red: issuing && from(row.state, 'RED'),
      cancel: may(ctx, 'invoice:create') && files(ctx, row.orgId) && from(row.state, 'CANCELLED'),
      download: filed && concerns(row, ctx.actor.orgId),
    },
  }
}
const getTitle = async (ctx: Ctx, id: number) => shownTitle(ctx, found(await q.titleRow(ctx, id)))
const get = async (ctx: Ctx, id: number): Promise<InvoiceDetail> => {
  const [row, items, refunds] = await Promise.all([
    q.row(ctx, id),
    q.items(ctx, id),
    q.refunds(ctx, id),
  ])
  return { ...shown(ctx, found(row)), items, refunds }
}

const unique = guarding({
  invoice_titles_org_id_title_tax_no_key: [invoiceErrors.titleTaken, 'title'],
  invoices_issued_no: [invoiceErrors.issuedTaken, 'issuedNo'],
  invoices_red_no: [invoiceErrors.issuedTaken, 'redNo'],
  invoices_file: [invoiceErrors.fileTaken, 'file'],
})
/** One usual title of an organisation: the one before it steps back. */
const onlyDefault = (ctx: Ctx, orgId: number, isDefault: boolean) =>
  isDefault &&
  sql`update invoice_titles set is_default = false, version = version + 1
    where org_id = ${orgId} and is_default`.execute(ctx.db)

const createTitle: Handlers<Contract>['createTitle'] = async (ctx, { orgId, ...fields }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  ownOnly(ctx, owner.id)
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
  ownOnly(ctx, before.orgId)
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
  ownOnly(ctx, before.orgId)
  await deleteVersion(ctx, 'invoice_titles', { id, version })
  ctx.audit({ id, name: before.title, before, orgId: before.orgId })
  ctx.touch('invoices', [before.orgId])
  return { ok: true as const }
}

const requestNo = (now: Date): string =>
  `FP${shanghaiDay(now).replaceAll('-', '')}${String(randomInt(1e12)).padStart(12, '0')}`

/** What is left of these goes on an invoice; of two who ask for the same one gets it. */
const create: Handlers<Contract>['create'] = async (ctx, { kind, source, sourceNos, ...input }) => {
  const title = await q.titleRow(ctx, input.titleId)
  if (!title) throw fieldRefusal(common.notFound, 'titleId')
  const { orgId } = title
  ownOnly(ctx, orgId)
  const lacking = titleFinding(kind, title)
  if (lacking) throw fieldRefusal(lacking, 'titleId')
  const sold = await soldNamed(ctx, source, orgId, sourceNos)
  const [first] = sold
  if (!first || sold.length !== sourceNos.length) throw fieldRefusal(common.notFound, 'sourceNos')
  if (sold.some(({ over }) => !over)) throw fieldRefusal(invoiceErrors.notPaid, 'sourceNos')
  if (sold.some(({ issuer }) => issuer !== first.issuer))
    throw fieldRefusal(invoiceErrors.manyIssuers, 'sourceNos')
  const asked = sold.map((one) => ({ ...one, amount: one.most - one.invoiced }))
  if (
    asked.some(({ amount }) => amount <= 0) ||
    (await take(ctx, source, orgId, asked)) !== asked.length
  )
    throw fieldRefusal(invoiceErrors.overAmount, 'sourceNos')
  const amount = asked.reduce((sum, one) => sum + one.amount, 0)
  const { title: name, taxNo, address, phone, bank, bankAccount } = title
  const { id } = await ctx.db
    .insertInto('invoices')
    .values({
      ...columns('invoices', { title: name, taxNo, address, phone, bank, bankAccount }),
      ...{ org_id: orgId, issuer_org_id: first.issuer, request_no: requestNo(ctx.now) },
      ...{ source, kind, amount, tax_rate_bp: usualRate[source] },
      tax_amount: taxOf(amount, usualRate[source]),
      ...{ email: input.email || title.email, requested_by: ctx.actor.userId as number },
      created_at: ctx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addItems(ctx, { id, orgId, source }, asked)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.requestNo, after, orgId })
  ctx.touch('invoices', [orgId, after.issuerOrgId])
  return after
}

const addItems = (
  ctx: Ctx,
  { id, orgId, source }: { id: number; orgId: number; source: string },
  asked: readonly (Sold & { amount: number })[],
) =>
  ctx.db
    .insertInto('invoice_items')
    .values(
      asked.map(({ no, at, deviceId, amount }) => ({
        ...{ invoice_id: id, org_id: orgId, device_id: deviceId, source },
        ...{ source_no: no, source_at: at, amount },
      })),
    )
    .execute()

type Step = { readonly id: number; readonly version: number }
type Set = (before: InvoiceDetail) => Record<string, unknown> | Promise<Record<string, unknown>>
/** A step of a request; `to` null: it stays what it is. `set`: what else of it changes. */
async function step(
  ctx: Ctx,
  { id, version }: Step,
  to: InvoiceState | null,
  set: Set,
): Promise<InvoiceDetail> {
  const before = await get(ctx, id)
  if (to === 'CANCELLED') ownOnly(ctx, before.orgId)
  else if (!issues(ctx, before)) throw new Refusal(invoiceErrors.notIssuer)
  if (to && !from(before.state, to)) throw new Refusal(invoiceErrors.wrongState)
  // a refund since the request leaves less than it says
  if ((to === 'ISSUING' || to === 'ISSUED') && (await overdrawn(ctx, before)))
    throw new Refusal(invoiceErrors.overAmount)
  const state = to ?? before.state
  await unique(updateVersion(ctx, 'invoices', { id, version }, { ...(await set(before)), state }))
  if (!counts(state)) await giveBack(ctx, id)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.requestNo, before, after, orgId: after.orgId })
  ctx.touch('invoices', [after.orgId, after.issuerOrgId])
  return after
}

const issue: Handlers<Contract>['issue'] = (ctx, { issuedNo, file, taxRateBp, ...asked }) =>
  step(ctx, asked, 'ISSUED', (before) =>
    issuingOf(before.issuerOrgId).issued(ctx, before, { issuedNo, file, taxRateBp }),
  )

const send: Handlers<Contract>['send'] = (ctx, { email, ...asked }) =>
  step(ctx, asked, null, async (before) => {
    if (!sendable(before)) throw new Refusal(invoiceErrors.wrongState)
    if (!(email || before.email)) throw fieldRefusal(invoiceErrors.noMail, 'email')
    if (!(await countToday(ctx, before.issuerOrgId, 'invoices', 1)))
      throw new Refusal(invoiceErrors.tooManyMails)
    ctx.afterCommit(() => ctx.app.jobs.poke(mailsName))
    return { email: email || before.email, next_at: ctx.now, attempts: 0, mail_error: '' }
  })

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
  get: (ctx, { id }) => get(ctx, id),
  async offers(ctx, { source, orgId = ctx.actor.orgId, keyword }) {
    const { id } = await newOwner(ctx, orgId)
    ownOnly(ctx, id)
    const sold = await offered(ctx, source, { orgId: id, ...(keyword ? { keyword } : {}) })
    return {
      list: sold.map(({ no, at, most, invoiced, issuerName }) => ({
        ...{ no, time: at.toISOString(), amount: most - invoiced, issuerName },
      })),
    }
  },
  create,
  approve: (ctx, asked) =>
    step(ctx, asked, 'ISSUING', async (before) => {
      await issuingOf(before.issuerOrgId).begin(ctx, before)
      return {}
    }),
  reject: (ctx, { reason, ...asked }) => step(ctx, asked, 'REJECTED', () => ({ reason })),
  cancel: (ctx, asked) => step(ctx, asked, 'CANCELLED', () => ({})),
  upload,
  issue,
  send,
  red: (ctx, { redNo, ...asked }) =>
    step(ctx, asked, 'RED', (before) =>
      issuingOf(before.issuerOrgId).reversed(ctx, before, { redNo }),
    ),
}
