import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { capOf, usual } from '../../splits/rules.ts'
import type { StrategyRow, StrategyVersion, splitStrategies } from '../contract.ts'
import { ownerRule, previewOf, strategyErrors } from '../rules.ts'
import { type Checked, checkContent, checkPublished, leastsOf, merchantOf } from './checks.ts'
import { hashOf } from './content.ts'
import * as q from './queries.ts'

type Contract = typeof splitStrategies

const shown = (ctx: Ctx, row: q.Row): StrategyRow => ({
  ...row,
  can: {
    update: may(ctx, 'split-strategy:update'),
    publish: may(ctx, 'split-strategy:publish') && row.draftNo !== null,
    retire: may(ctx, 'split-strategy:publish') && row.state === 'PUBLISHED',
    delete: may(ctx, 'split-strategy:delete') && row.state !== 'PUBLISHED',
  },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))

/** The database guards what is unique. */
const unique = guarding({
  split_strategies_org_id_name_key: [strategyErrors.nameTaken, 'name'],
})

/** A new strategy with its first draft. */
async function add(ctx: Ctx, orgId: number, name: string, content: Checked): Promise<StrategyRow> {
  const at = { created_at: ctx.now, updated_at: ctx.now }
  const { id } = await unique(
    ctx.db
      .insertInto('split_strategies')
      .values({ org_id: orgId, name, ...at })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await addDraft(ctx, { id, orgId }, content)
  return get(ctx, id)
}

type Of = { readonly id: number; readonly orgId: number }
async function addDraft(ctx: Ctx, { id, orgId }: Of, { parties, ...said }: Checked): Promise<void> {
  const made = await ctx.db
    .insertInto('split_strategy_versions')
    .values({
      ...columns('split_strategy_versions', said),
      ...{ org_id: orgId, strategy_id: id, version_no: q.newestNo(id), created_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addParties(ctx, orgId, made.id, parties)
}
const addParties = (ctx: Ctx, orgId: number, versionId: number, parties: Checked['parties']) =>
  ctx.db
    .insertInto('split_parties')
    .values(
      parties.map(({ orgId: party_org_id, ...party }, i) => ({
        ...columns('split_parties', party),
        ...{ org_id: orgId, version_id: versionId, party_no: i + 1, party_org_id },
      })),
    )
    .execute()

const create: Handlers<Contract>['create'] = async (ctx, { orgId, name, ...content }) => {
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  const wrong = ownerRule(owner.kind)
  if (wrong) throw fieldRefusal(wrong, 'orgId')
  const after = await add(ctx, owner.id, name, await checkContent(ctx, owner.id, content))
  ctx.audit({ id: after.id, name, after, orgId: owner.id })
  ctx.touch('split-strategies')
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, name, ...content }) => {
  const before = await get(ctx, id)
  const checked = await checkContent(ctx, before.orgId, content, id)
  const set = { name, updated_at: ctx.now }
  await unique(updateVersion(ctx, 'split_strategies', { id, version }, set))
  const draft = await q.draft(ctx, id)
  if ((draft ? before.versionNo : before.versionNo + 1) > 1 && !content.note)
    throw fieldRefusal(strategyErrors.noteNeeded, 'note')
  if (draft) {
    const { parties, ...said } = checked
    await sql`delete from split_parties where version_id = ${draft.id}`.execute(ctx.db)
    await ctx.db
      .updateTable('split_strategy_versions')
      .set(columns('split_strategy_versions', said))
      .where('id', '=', draft.id)
      .execute()
    await addParties(ctx, before.orgId, draft.id, parties)
  } else await addDraft(ctx, before, checked)
  const after = await get(ctx, id)
  ctx.audit({ id, name, before, after, orgId: before.orgId })
  ctx.touch('split-strategies')
  return after
}

const publish: Handlers<Contract>['publish'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  // two that would be for the same lane take turns
  await q.held(ctx, before.orgId)
  const set = { state: 'PUBLISHED', updated_at: ctx.now }
  await updateVersion(ctx, 'split_strategies', { id, version }, set)
  const draft = await q.draft(ctx, id)
  if (!draft) throw new Refusal(strategyErrors.noDraft)
  // a time that passed while it was a draft is now
  const asked = { ...before, validFrom: null }
  const { parties, ...checked } = await checkContent(ctx, before.orgId, asked, id)
  await checkPublished(ctx, before, parties)
  if (await q.unsimulated(ctx, id, hashOf(before))) throw new Refusal(strategyErrors.notSimulated)
  await sql`update split_strategy_versions set state = 'PUBLISHED', published_at = ${ctx.now},
      published_by = ${ctx.actor.userId}, merchant_name = ${checked.merchantName},
      valid_from = greatest(coalesce(valid_from, ${ctx.now}), ${ctx.now})
    where id = ${draft.id}`.execute(ctx.db)
  await q.markScoped(ctx, id)
  const after = await get(ctx, id)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('split-strategies')
  return after
}

const retire: Handlers<Contract>['retire'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  const all = await q.held(ctx, before.orgId)
  const set = { state: 'RETIRED', updated_at: ctx.now }
  await updateVersion(ctx, 'split_strategies', { id, version }, set)
  // whoever binds a machine holds the strategy: now all of them are seen
  const after = await get(ctx, id)
  const { machines, owns } = await q.uses(ctx, id)
  if (machines > 0) throw new Refusal(strategyErrors.inUse, { n: machines })
  const others = all.some((one) => one.id !== id && one.state === 'PUBLISHED')
  if (!others && before.state === 'PUBLISHED' && owns) throw new Refusal(strategyErrors.lastOne)
  ctx.audit({ id, name: after.name, before, after, orgId: before.orgId })
  ctx.touch('split-strategies')
  return after
}

const longestName = 30
const copy: Handlers<Contract>['copy'] = async (ctx, { id }) => {
  const { orgId, name, ...said } = await get(ctx, id)
  const named = (n: number) => {
    const end = n === 1 ? ' 副本' : ` 副本${n}`
    return name.slice(0, longestName - end.length) + end
  }
  let n = 1
  while (n < 100 && (await q.isTaken(ctx, orgId, named(n)))) n += 1
  // the lanes and goods stay with the strategy that is for them
  const scope = { laneIds: [], categoryIds: [], deviceIds: [] }
  const content = await checkContent(ctx, orgId, { ...said, ...scope, validFrom: null, note: '' })
  const after = await add(ctx, orgId, named(n), content)
  ctx.audit({ id: after.id, name: after.name, after, orgId })
  ctx.touch('split-strategies')
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  const all = await q.held(ctx, before.orgId)
  // as it is now that nobody else may change it: somebody may have been quicker
  const own = all.find((one) => one.id === id)
  if (!own) throw new Refusal(common.stale)
  if (own.state === 'PUBLISHED' || (await q.uses(ctx, id)).ever)
    throw new Refusal(strategyErrors.used)
  if (all.length === 1) throw new Refusal(strategyErrors.lastOne)
  await deleteVersion(ctx, 'split_strategies', { id, version })
  ctx.audit({ id, name: before.name, before, orgId: before.orgId })
  ctx.touch('split-strategies')
  return { ok: true as const }
}

const preview: Handlers<Contract>['preview'] = async (ctx, input) => {
  const { id } = await newOwner(ctx, input.orgId)
  const merchant = await merchantOf(ctx, id, input.configId)
  return previewOf({ ...input, feeBp: merchant.feeBp, capBp: capOf(input.mode, merchant.capBp) })
}

/** What the parties get of an amount under what counts of a strategy now. */
export async function sampleOf(ctx: Ctx, strategyId: number, amount: number) {
  const row = found(await q.counting(ctx, strategyId))
  const [merchant] = await q.terms(ctx, row.configId)
  const { sales } = previewOf({
    ...{ ...row, amount, feeBp: merchant?.feeBp ?? usual.feeBp },
    capBp: capOf(row.mode, merchant?.capBp ?? usual.capBp),
  })
  const parties = row.parties.map(({ name }, i) => ({ name, amount: sales[0]?.gives[i] ?? 0 }))
  return { amount, parties }
}

const diff: Handlers<Contract>['diff'] = async (ctx, input) => {
  const both = await q.versions(ctx, input.id, [input.from, input.to])
  const of = (no: number) => found(both.find(({ versionNo }) => versionNo === no))
  const [from, to] = [of(input.from), of(input.to)]
  const compared: (keyof StrategyVersion)[] = [
    ...(['merchantName', 'mode', 'parties', 'feeMode', 'timing', 'timingNumber'] as const),
    ...(['subsidySplit', 'laneIds', 'categoryIds', 'deviceIds', 'validFrom', 'note'] as const),
  ]
  const changed = compared.filter((key) => JSON.stringify(from[key]) !== JSON.stringify(to[key]))
  return { from, to, changed }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input, await leastsOf(ctx))
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  merchants: async (ctx) => ({ list: await q.usedMerchants(ctx) }),
  options: async (ctx, input) => ({ list: await q.options(ctx, input) }),
  async choices(ctx, { orgId }) {
    const { id } = await newOwner(ctx, orgId)
    const [above, beside, referrers, merchants, categories] = await Promise.all([
      q.above(ctx, id),
      q.beside(ctx),
      may(ctx, 'referrer:read') ? q.referrers(ctx, id) : [],
      q.merchants(ctx, id),
      q.categories(ctx),
    ])
    const parties = new Map([...above, ...beside].map((one) => [one.id, one]))
    const ofMerchants = await q.receivers(ctx, id, [null, ...merchants.map((one) => one.id)])
    const receivers = ofMerchants.map(({ configId, partyId, gives }) => ({
      ...{ configId, orgId: partyId, gives },
    }))
    return {
      parties: [
        ...[...parties.values()].map(({ id, name, kind }) => ({
          ...{ orgId: id, referrerId: null, name, kind, usualBp: null },
        })),
        ...referrers
          .filter(({ ended }) => !ended)
          .map(({ id, name, usualBp }) => ({
            ...{ orgId: null, referrerId: id, name, kind: 'REFERRER' as const, usualBp },
          })),
      ],
      receivers,
      merchants,
      categories,
    }
  },
  lanes: async (ctx, input) => ({ list: await q.lanes(ctx, input) }),
  get: (ctx, { id }) => get(ctx, id),
  async versions(ctx, { id }) {
    found(await q.row(ctx, id))
    return { list: await q.versions(ctx, id) }
  },
  diff,
  preview,
  create,
  update,
  publish,
  retire,
  copy,
  remove,
}
