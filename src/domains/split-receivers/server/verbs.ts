import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import { guarding, updateVersion } from '../../../server/shapes.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import {
  hashOf,
  openReceiver,
  sealReceiver,
} from '../../payment-channels/server/sealedReceivers.ts'
import { masked } from '../../payout-accounts/rules.ts'
import type { splitReceivers } from '../contract.ts'
import { holderFinding, isAccount, receiverErrors, receiversName, shownName } from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof splitReceivers

const unique = {
  split_receivers_party: [receiverErrors.partyTaken, 'partyId'],
  split_receivers_account: [receiverErrors.accountTaken, 'account'],
} as const
const simulator = { id: null, name: '', provider: 'SIMULATOR' as const }
/** A merchant of visible organisations, or the simulator of the own one. */
async function merchantOf(ctx: Ctx, configId: number | null) {
  if (configId === null) return { ...simulator, orgId: ctx.actor.orgId }
  const [merchant] = await q.merchants(ctx, configId)
  if (!merchant) throw fieldRefusal(receiverErrors.noMerchant, 'configId')
  return merchant
}
function checkHolder(ctx: Ctx, given: Parameters<typeof holderFinding>[0], party: string): void {
  const wrong = holderFinding(given, party, ctx.actor.ofPlatform)
  if (wrong) throw fieldRefusal(wrong, given.kind === 'PERSONAL_OPENID' ? 'kind' : 'holderName')
}
const poke = (ctx: Ctx) => ctx.afterCommit(() => ctx.app.jobs.poke(receiversName))

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.list(ctx, input)
    return { list: rows, total }
  },
  async choices(ctx, { configId }) {
    const merchants = await q.merchants(ctx)
    const at = merchants.find(({ id }) => id === configId)?.orgId ?? ctx.actor.orgId
    return {
      merchants: merchants.map(({ id, name, provider }) => ({ id, name, provider })),
      parties: await q.parties(ctx, at),
    }
  },
  async create(ctx, { configId, partyId, kind, relation, ...given }) {
    const merchant = await merchantOf(ctx, configId)
    const { orgId, provider } = merchant
    if (partyId === orgId) throw fieldRefusal(receiverErrors.collects, 'partyId')
    const [party] = await q.parties(ctx, orgId, partyId)
    if (!party) throw fieldRefusal(receiverErrors.wrongParty, 'partyId')
    const account = given.account.normalize('NFKC').replace(/\s+/g, '')
    if (!isAccount(provider, kind, account))
      throw fieldRefusal(receiverErrors.wrongAccount, 'account')
    checkHolder(ctx, { kind, holderName: given.holderName }, party.name)
    const place = { orgId, configId, partyId }
    const { id } = await guarding(unique)(
      ctx.db
        .insertInto('split_receivers')
        .values({
          ...{ org_id: orgId, party_org_id: partyId, party_name: party.name },
          ...{ config_id: configId, provider, kind, relation },
          account: sealReceiver(ctx.app, place, account),
          account_hash: hashOf(ctx.app, account),
          account_no: masked(account),
          holder: sealReceiver(ctx.app, place, given.holderName),
          holder_shown: shownName(given.holderName),
          // money that went to a person does not come back
          return_consent: kind === 'MERCHANT_ID' ? null : false,
          ...{ next_at: ctx.now, created_at: ctx.now },
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    )
    const after = found(await q.one(ctx, id))
    ctx.audit({ id, name: `${after.partyName} ${after.account}`, orgId, after })
    ctx.touch('split-receivers', orgId)
    poke(ctx)
    return after
  },
  async update(ctx, { id, version, relation, holderName }) {
    const held = found(await q.held(ctx, id))
    const before = found(await q.one(ctx, id))
    if (holderName) checkHolder(ctx, { kind: before.kind, holderName }, before.partyName)
    const name = holderName || openReceiver(ctx.app, held, held.holder)
    await updateVersion(
      ctx,
      'split_receivers',
      { id, version },
      {
        relation,
        holder: sealReceiver(ctx.app, held, name),
        holder_shown: shownName(name),
        ...{ next_at: ctx.now, attempts: 0 },
      },
    )
    const after = found(await q.one(ctx, id))
    ctx.audit({
      ...{ id, name: `${after.partyName} ${after.account}`, orgId: held.orgId, before },
      after: { ...after, renewed: holderName !== '' },
    })
    ctx.touch('split-receivers', held.orgId)
    poke(ctx)
    return after
  },
  async remove(ctx, { id, version }) {
    const held = found(await q.held(ctx, id))
    const before = found(await q.one(ctx, id))
    if (await q.isUsed(ctx, id)) throw new Refusal(receiverErrors.inUse)
    await updateVersion(
      ctx,
      'split_receivers',
      { id, version },
      { state: 'REMOVED', removed_at: ctx.now, next_at: ctx.now, attempts: 0, last_error: null },
    )
    ctx.audit({ id, name: `${before.partyName} ${before.account}`, orgId: held.orgId, before })
    ctx.touch('split-receivers', held.orgId)
    poke(ctx)
    return { ok: true }
  },
}
