import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, may, owns, visible } from '../../../server/context.ts'
import { requireProof } from '../../../server/proof.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { bySystem } from '../../../server/run.ts'
import { openSecret, sealSecret } from '../../../server/secretBox.ts'
import { columns, guarding, updateVersion } from '../../../server/shapes.ts'
import { clock } from '../../../server/work.ts'
import type { Input } from '../../../shared/contract.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { missingPictures } from '../../files/server/pictures.ts'
import { ownsMachines } from '../../machines/rules.ts'
import { refundsName } from '../../orders/server/refunds.ts'
import { checksName, type MerchantState as State } from '../../payment-channels/rules.ts'
import {
  configsChanged,
  keysUse,
  openKeys,
  sealKeys,
} from '../../payment-channels/server/configs.ts'
import { settingOf } from '../../settings/server/values.ts'
import { receiversName } from '../../split-receivers/rules.ts'
import { returnsName, splitsName } from '../../splits/rules.ts'
import type { ConfigRow, paymentConfigs } from '../contract.ts'
import {
  canMove,
  configErrors,
  hasDriver,
  identityRule,
  moves,
  removable,
  sameIdentity,
} from '../rules.ts'
import { moved, noKeys, replaced } from './keys.ts'
import * as q from './queries.ts'
import { type Result, trial } from './trials.ts'
import { inUse } from './usage.ts'

type Contract = typeof paymentConfigs

const shown = (ctx: Ctx, row: q.Shown): ConfigRow => ({
  ...row,
  callbackUrl: hasDriver(row.provider)
    ? publicLink(ctx.app.config, `/pay/${row.provider.toLowerCase()}/notify/${row.id}`)
    : '',
  can: {
    update: may(ctx, 'payment-config:update'),
    delete: may(ctx, 'payment-config:delete'),
    renew: may(ctx, 'payment-config:secret'),
    test: may(ctx, 'payment-config:test'),
  },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))
/** What a log row says: no tail, no address, only that a key is there. */
const logged = ({ keys, callbackUrl: _, can: __, ...row }: ConfigRow) => ({
  ...row,
  keysSet: Object.entries(keys).flatMap(([name, { set }]) => (set ? [name] : [])),
})
function told(ctx: Ctx, before: ConfigRow | null, after: ConfigRow | null, more: object = {}) {
  const of = (after ?? before) as ConfigRow
  ctx.audit({
    ...{ id: of.id, name: of.merchantName, orgId: of.orgId },
    ...(before ? { before: logged(before) } : {}),
    ...(after ? { after: { ...logged(after), ...more } } : {}),
  })
  ctx.touch('payment-configs', [of.orgId])
  ctx.afterCommit(() => configsChanged(ctx.app))
}

/** The database guards what is unique: rows of others are not seen. */
const unique = guarding({
  payment_configs_system: [configErrors.systemTaken, 'systemId'],
  payment_configs_merchant: [configErrors.merchantTaken, 'mchId'],
  payment_configs_verified: [configErrors.verifiedElsewhere],
  payment_configs_active: [configErrors.activeTaken],
})

async function checkApproval(ctx: Ctx, url: string, before = ''): Promise<void> {
  const pictures = url && url !== before ? [url] : []
  if ((await missingPictures(ctx, pictures, visible(ctx, 'u.org_id'))).length)
    throw fieldRefusal(common.notFound, 'capApproval')
}
type Fields = Omit<Input<Contract['update']>, 'id' | 'version' | 'settleAccount'>
/** Of a channel without a driver there is no merchant's number. */
const clean = (fields: Fields): Fields =>
  hasDriver(fields.provider) ? fields : { ...fields, mchId: '', subMchId: '', appId: '' }
/** Sealed by itself; bound to the system number, under which people know the merchant. */
const sealed = (ctx: Ctx, systemId: string, account: string) => ({
  settle_account: sealSecret(
    ctx.app.config,
    keysUse,
    `payment_configs.account|${systemId}`,
    account,
  ),
  settle_tail: account.slice(-4),
})

const accountOf = (ctx: Ctx, { systemId, account }: q.Kept): string =>
  account ? openSecret(ctx.app.config, keysUse, `payment_configs.account|${systemId}`, account) : ''

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { orgId, settleAccount, desKey, saltMd5Key, apiV3Key, privateKey, ...rest } = input
  const { certificate, channelKeyId, channelKey, ...given } = rest
  const owner = await newOwner(ctx, orgId)
  if (!ownsMachines(owner.kind)) throw fieldRefusal(configErrors.ownerKind, 'orgId')
  await checkApproval(ctx, given.capApproval)
  const fields = clean(given)
  const keys = { desKey, saltMd5Key, apiV3Key, privateKey, certificate, channelKeyId, channelKey }
  const none = { certSerial: '', certUntil: null, channelKeys: {}, tails: {}, keys: noKeys }
  const some = Object.values(keys).some(Boolean)
  const made = some
    ? replaced(ctx.app, fields, none, keys)
    : { ...none, secrets: sealKeys(ctx.app, fields, noKeys) }
  const { id } = await unique(
    ctx.db
      .insertInto('payment_configs')
      .values({
        ...columns('payment_configs', fields),
        ...{ org_id: owner.id, created_at: ctx.now },
        ...{ secrets: made.secrets, cert_serial: made.certSerial, cert_until: made.certUntil },
        channel_keys: JSON.stringify(made.channelKeys),
        secret_tails: JSON.stringify(made.tails),
        ...(settleAccount ? sealed(ctx, fields.systemId, settleAccount) : {}),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  const after = await get(ctx, id)
  told(ctx, null, after)
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...input }) => {
  const { settleAccount, ...given } = input
  const kept = found(await q.hold(ctx, id))
  const before = await get(ctx, id)
  const fields = clean(given)
  // sales wait behind the row: what was paid is looked up only where it counts
  if (!sameIdentity(kept, fields)) reject(identityRule(kept, fields, await q.paid(ctx, id)))
  const renamed = (['provider', 'mchId', 'appId', 'systemId'] as const).some(
    (key) => (kept[key] ?? '') !== fields[key],
  )
  const elsewhere = kept.provider !== fields.provider
  const account = settleAccount !== '' || before.settleHolder !== fields.settleHolder
  // where money goes moves only with whoever is really there
  if (elsewhere || account || kept.mchId !== fields.mchId || kept.appId !== fields.appId)
    await requireProof(ctx.app, ctx.actor)
  await checkApproval(ctx, fields.capApproval, before.capApproval)
  // keys of one channel are none of another
  const gone = {
    ...{ secrets: sealKeys(ctx.app, fields, noKeys), secret_tails: '{}', channel_keys: '{}' },
    ...{ cert_serial: '', cert_until: null },
  }
  // what was verified was another merchant
  const anew = { tested_at: null, test_steps: '[]', verified_at: null, state: 'UNTESTED' }
  await unique(
    updateVersion(
      ctx,
      'payment_configs',
      { id, version },
      {
        ...columns('payment_configs', fields),
        ...(sameIdentity(kept, fields) ? {} : anew),
        ...(elsewhere ? gone : renamed ? { secrets: moved(ctx.app, kept, fields) } : {}),
        ...(settleAccount || (renamed && kept.account)
          ? sealed(ctx, fields.systemId, settleAccount || accountOf(ctx, kept))
          : {}),
      },
    ),
  )
  const after = await get(ctx, id)
  told(ctx, before, after, settleAccount ? { renewed: ['settleAccount'] } : {})
  return after
}

const secrets: Handlers<Contract>['secrets'] = async (ctx, { id, version, ...given }) => {
  const kept = found(await q.hold(ctx, id))
  const before = await get(ctx, id)
  const keys = openKeys(ctx.app, kept, kept.secrets)
  const made = replaced(ctx.app, kept, { ...kept, keys }, given)
  await updateVersion(
    ctx,
    'payment_configs',
    { id, version },
    {
      ...{ secrets: made.secrets, cert_serial: made.certSerial, cert_until: made.certUntil },
      channel_keys: JSON.stringify(made.channelKeys),
      secret_tails: JSON.stringify(made.tails),
      // whoever writes keys could sign what he likes: they count once the channel has answered
      verified_at: null,
      state: canMove('renew', kept.state) ? moves.renew.to : kept.state,
    },
  )
  const after = await get(ctx, id)
  // that a key was replaced, not what it is
  told(ctx, before, after, { renewed: made.renewed })
  return after
}

/** The provider is asked before anything is locked; what it said counts for this version alone. */
const test = prepared<Contract['test'], Result>({
  prepare: async (app, { id, version }, _request, actor) => {
    const known = found(await app.database.read(actor.scope, (db) => q.row({ db, actor }, id)))
    // it is this version that is tried: what becomes of it meanwhile was not
    if (known.version !== version) throw new Refusal(common.stale)
    return trial(app, known)
  },
  async run(ctx, { id, version }, { steps, ok, sure, keys }) {
    const before = await get(ctx, id)
    const state = stateAfter(before.state, ok, sure)
    await unique(
      updateVersion(
        ctx,
        'payment_configs',
        { id, version },
        {
          ...{ tested_at: ctx.now, test_steps: JSON.stringify(steps), state },
          ...(ok ? { verified_at: ctx.now } : {}),
          ...(ok && keys ? { channel_keys: JSON.stringify(keys) } : {}),
        },
      ),
    )
    if (ok) await wake(ctx, id)
    const after = await get(ctx, id)
    told(ctx, before, after)
    return after
  },
})
/** What waited for the keys of this merchant is asked after now, and what nobody asked any more. */
async function wake(ctx: Ctx, id: number): Promise<void> {
  await sql`update payments set next_at = ${clock(ctx.app)}, attempts = 0
    where config_id = ${id} and (next_at is not null and state <> 'SUCCESS' or state = 'PENDING')`.execute(
    ctx.db,
  )
  ctx.afterCommit(async () => {
    ctx.app.jobs.poke(checksName)
    // refunds are locked before payments: in an act of their own
    await bySystem(ctx.app, async ({ app, db }) => {
      await sql`update refunds r set next_at = ${clock(app)} from payments p
        where p.id = r.payment_id and p.config_id = ${id} and r.next_at > ${clock(app)}`.execute(db)
    })
    ctx.app.jobs.poke(refundsName)
    await wakeShares(ctx.app, id)
  })
}
/** Shares, what comes back of them, receivers: what was given up while nobody knew the keys, too. */
async function wakeShares(app: App, id: number): Promise<void> {
  await bySystem(app, async ({ db }) => {
    for (const table of ['split_requests', 'split_returns'] as const)
      await sql`update ${sql.table(table)} set next_at = ${clock(app)}, attempts = 0
        where config_id = ${id} and state = 'SENDING'
          and (next_at is null or next_at > ${clock(app)})`.execute(db)
    await sql`update split_receivers set next_at = ${clock(app)}, attempts = 0
      where config_id = ${id} and state in ('NEW','FAILED')`.execute(db)
  })
  for (const kind of [splitsName, returnsName, receiversName]) app.jobs.poke(kind)
}
const stateAfter = (state: State, ok: boolean, sure: boolean): State => {
  if (ok) return canMove('pass', state) ? moves.pass.to : state
  return sure && canMove('fail', state) ? moves.fail.to : state
}

const move =
  (name: 'stop' | 'start'): Handlers<Contract>['stop'] =>
  async (ctx, { id, version }) => {
    const before = await get(ctx, id)
    if (!canMove(name, before.state)) throw new Refusal(configErrors.wrongState)
    await updateVersion(ctx, 'payment_configs', { id, version }, { state: moves[name].to })
    const after = await get(ctx, id)
    told(ctx, before, after)
    return after
  }

/** What it was paid stays its own: the row is kept, nobody sees it any more. */
const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  found(await q.hold(ctx, id))
  const before = await get(ctx, id)
  if (!owns(ctx, before.orgId)) throw new Refusal(common.forbidden)
  const { rows } = await sql<{ inUse: boolean }>`select ${inUse} as "inUse"
    from payment_configs c where c.id = ${id}`.execute(ctx.db)
  reject(removable(rows[0] as { inUse: boolean }))
  await sql`update stores set payment_config_id = null, version = version + 1
    where payment_config_id = ${id}`.execute(ctx.db)
  await updateVersion(
    ctx,
    'payment_configs',
    { id, version },
    {
      ...{ state: 'DISABLED', removed_at: ctx.now },
    },
  )
  told(ctx, before, null)
  return { ok: true as const }
}

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  uses: async (ctx, { id }) => {
    found(await q.row(ctx, id))
    return { n: await q.payingDevices(ctx, id) }
  },
  addresses: async (ctx) => {
    const text = await settingOf(ctx.db, ctx.actor.orgId, 'funds.serverAddresses')
    return { list: text.split(/[\s,，、]+/).filter(Boolean) }
  },
  create,
  update,
  secrets,
  test,
  stop: move('stop'),
  start: move('start'),
  remove,
}
