import type { Ctx } from '../../../server/context.ts'
import { platformOrg } from '../../../shared/access.ts'
import type { Input } from '../../../shared/contract.ts'
import { fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { cachedSetting, settingOf } from '../../settings/server/values.ts'
import { usual } from '../../splits/rules.ts'
import type { ShownParty, splitStrategies } from '../contract.ts'
import { isScoped, mayShare, othersOf, overlap, type Scope, strategyErrors } from '../rules.ts'
import * as q from './queries.ts'

type Asked = Omit<Input<typeof splitStrategies.create>, 'orgId' | 'name'>
/** What a version says, with the names of its time. */
export type Checked = ReturnType<typeof contentOf>
const contentOf = (asked: Asked, merchantName: string, parties: readonly ShownParty[]) => ({
  configId: asked.configId,
  merchantName,
  mode: asked.mode,
  feeMode: asked.feeMode,
  timing: asked.timing,
  timingNumber: ['SECONDS', 'MINUTES'].includes(asked.timing) ? asked.timingNumber : null,
  subsidySplit: asked.subsidySplit,
  validFrom: asked.validFrom,
  note: asked.note,
  laneIds: [...asked.laneIds],
  categoryIds: [...asked.categoryIds],
  deviceIds: [...asked.deviceIds],
  parties,
})

type Said = { readonly ratioBp: number; readonly isCollector: boolean }
const pick = ({ ratioBp, isCollector }: Said) => ({ ratioBp, isCollector })
const simulator = { orgId: null, provider: 'SIMULATOR', name: '', ...usual }
/** One that is active and takes money for this organisation. */
export async function merchantOf(ctx: Ctx, orgId: number, configId: number | null) {
  if (configId === null) return simulator
  const merchant = (await q.merchants(ctx, orgId)).find(({ id }) => id === configId)
  if (!merchant) throw fieldRefusal(strategyErrors.noMerchant, 'configId')
  return merchant
}

/** Lanes, goods and machines of its own that no other strategy is for; `but`: this strategy. */
async function checkScope(ctx: Ctx, orgId: number, scope: Scope, but: number): Promise<void> {
  if (!isScoped(scope)) return
  const own = await q.ofScope(ctx, orgId, scope)
  const wrong =
    own.lanes < scope.laneIds.length
      ? 'laneIds'
      : own.categories < scope.categoryIds.length
        ? 'categoryIds'
        : own.machines < scope.deviceIds.length
          ? 'deviceIds'
          : null
  if (wrong) throw fieldRefusal(strategyErrors.wrongScope, wrong)
  const other = (await q.takenScopes(ctx, orgId, but)).find((one) => overlap(one, scope))
  if (other)
    throw fieldRefusal(
      strategyErrors.overlaps,
      scope.laneIds.some((id) => other.laneIds.includes(id)) ? 'laneIds' : 'categoryIds',
      { name: other.name },
    )
}

/** What hangs on rows of others: merchant, parties, the cap of the channel, other strategies. */
export async function checkContent(
  ctx: Ctx,
  orgId: number,
  asked: Asked,
  but = 0,
): Promise<Checked> {
  await checkScope(ctx, orgId, asked, but)
  const ids = asked.parties.flatMap((party) => party.orgId ?? [])
  const named = asked.parties.some((party) => party.referrerId)
  const [above, beside, referrers, merchant] = await Promise.all([
    q.above(ctx, orgId),
    q.beside(ctx, ids),
    named ? q.referrers(ctx, orgId, but) : [],
    merchantOf(ctx, orgId, asked.configId),
  ])
  const known = new Map([...beside, ...above].map((one) => [one.id, one]))
  const parties = asked.parties.map(({ orgId: id, referrerId, ...share }, i): ShownParty => {
    if (referrerId !== null) {
      const one = referrers.find((referrer) => referrer.id === referrerId)
      if (!one) throw fieldRefusal(strategyErrors.wrongParty, `parties.${i}.orgId`)
      const { name, ended } = one
      if (ended) throw fieldRefusal(strategyErrors.referrerEnded, `parties.${i}.orgId`, { name })
      if (asked.mode !== 'LEDGER')
        throw fieldRefusal(strategyErrors.ledgerOnly, `parties.${i}.orgId`)
      return { orgId: null, referrerId, name, kind: 'REFERRER', ...pick(share) }
    }
    const party = known.get(id ?? 0)
    if (
      !id ||
      !party ||
      !mayShare(
        party.kind,
        above.some((one) => one.id === id),
      )
    )
      throw fieldRefusal(strategyErrors.wrongParty, `parties.${i}.orgId`)
    return { orgId: id, referrerId: null, name: party.name, kind: party.kind, ...pick(share) }
  })
  const collector = parties.find((party) => party.isCollector)
  if (merchant.orgId !== null && collector?.orgId !== merchant.orgId)
    throw fieldRefusal(strategyErrors.wrongCollector, 'parties')
  if (asked.mode !== 'LEDGER' && othersOf(parties) > merchant.capBp)
    throw fieldRefusal(
      strategyErrors[merchant.provider === 'ALIPAY' ? 'overAlipay' : 'overWechat'],
      'parties',
      { n: merchant.capBp / 100 },
    )
  if (asked.validFrom !== null && Date.parse(asked.validFrom) < ctx.now.getTime())
    throw fieldRefusal(strategyErrors.validPast, 'validFrom')
  return contentOf(asked, merchant.name, parties)
}

const leastKey = (orgId: number) =>
  orgId === platformOrg ? 'funds.minSharePlatform' : 'funds.minShareAgent'

/** What organisations above visible strategies ask at least, where they ask for anything. */
export async function leastsOf(ctx: Ctx): Promise<q.Leasts> {
  const asked = await Promise.all(
    (await q.asking(ctx)).map(async ({ id }) => ({
      id,
      bp: await cachedSetting(ctx.app, id, leastKey(id)),
    })),
  )
  return asked.filter(({ bp }) => bp > 0)
}

type Publishing = {
  readonly orgId: number
  readonly mode: string
  readonly configId: number | null
}
/** What need not be so while it is a draft. */
export async function checkPublished(
  ctx: Ctx,
  { orgId, mode, configId }: Publishing,
  parties: readonly ShownParty[],
): Promise<void> {
  // a channel pays receivers that it knows
  if (mode !== 'LEDGER' && othersOf(parties) > 0) {
    const paid = (await q.receivers(ctx, orgId, [configId])).filter((one) => one.registered)
    const knows = (id: number) => paid.some(({ partyId }) => partyId === id)
    // merchants below a service provider have no driver yet
    if (
      mode !== 'CHANNEL' ||
      !parties.every(({ orgId, isCollector }) => isCollector || knows(orgId ?? 0))
    )
      throw new Refusal(strategyErrors.noReceiver)
  }
  for (const { id, kind } of await q.above(ctx, orgId)) {
    if (id === orgId || (kind !== 'PLATFORM' && kind !== 'AGENT')) continue
    const least = await settingOf(ctx.db, id, leastKey(id))
    const share = parties.find((party) => party.orgId === id)?.ratioBp ?? 0
    if (share < least) throw fieldRefusal(strategyErrors.belowLeast, 'parties', { n: least / 100 })
  }
}
