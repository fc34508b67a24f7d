import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type App, type Ctx, found, may, visible } from '../../../server/context.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { columns, deleteVersion, guarding, updateVersion } from '../../../server/shapes.ts'
import { common, fieldRefusal, Refusal, reject } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { identityProvider } from '../../session/server/identity.ts'
import type { ReferrerRow, referrers } from '../contract.ts'
import { bindable, codeMinutes, referrerErrors, shownMobile, shownName } from '../rules.ts'
import { bindPhone, forgetAccounts } from './people.ts'
import * as q from './queries.ts'
import { inUse } from './usage.ts'

type Contract = typeof referrers

const shown = (ctx: Ctx, row: q.Row): ReferrerRow => ({
  ...row,
  can: { update: may(ctx, 'referrer:update'), delete: may(ctx, 'referrer:delete') },
})
const get = async (ctx: Ctx, id: number) => shown(ctx, found(await q.row(ctx, id)))
const told = (ctx: Ctx, before: ReferrerRow | null, after: ReferrerRow | null) => {
  const of = (after ?? before) as ReferrerRow
  ctx.audit({
    ...{ id: of.id, name: of.referrerName, orgId: of.orgId },
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
  })
  ctx.touch('referrers', [of.orgId])
}
/** The database guards what is unique: numbers are compared by their hashes. */
const unique = guarding({
  referrers_org_id_mobile_hash_key: [referrerErrors.mobileTaken, 'mobile'],
})

async function checkLink(ctx: Ctx, linked: number | null, before: number | null): Promise<void> {
  if (linked === null || linked === before) return
  const seen = await exists(ctx.db)`select 1 from organisations o
    where o.id = ${linked} and ${visible(ctx, 'o.id')}`
  if (!seen) throw fieldRefusal(common.notFound, 'linkedOrgId')
}
const mobileOf = (ctx: Ctx, orgId: number, mobile: string) => ({
  mobile: q.seal(ctx.app, 'mobile', orgId, mobile),
  mobile_hash: q.hashOf(ctx.app, mobile),
  mobile_shown: shownMobile(mobile),
})

async function keepDevices(
  ctx: Ctx,
  of: { id: number; orgId: number },
  deviceIds: readonly number[],
): Promise<void> {
  try {
    if (await q.keepDevices(ctx, of, deviceIds)) return
  } catch (error) {
    // the database guards whose machines they are
    if ((error as { constraint?: string }).constraint !== 'referrer_devices_owner') throw error
    throw fieldRefusal(referrerErrors.otherDevice, 'deviceIds')
  }
  throw fieldRefusal(common.notFound, 'deviceIds')
}

const create: Handlers<Contract>['create'] = async (ctx, input) => {
  const { orgId, mobile, idName, deviceIds, ...fields } = input
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  await checkLink(ctx, fields.linkedOrgId, null)
  const { id } = await unique(
    ctx.db
      .insertInto('referrers')
      .values({
        ...columns('referrers', fields),
        ...mobileOf(ctx, owner.id, mobile),
        id_name: idName ? q.seal(ctx.app, 'id_name', owner.id, idName) : null,
        ...{ org_id: owner.id, created_at: ctx.now },
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  )
  await keepDevices(ctx, { id, orgId: owner.id }, deviceIds)
  const after = await get(ctx, id)
  told(ctx, null, after)
  return after
}

const update: Handlers<Contract>['update'] = async (ctx, { id, version, ...input }) => {
  const { mobile, idName, deviceIds, ...fields } = input
  const before = await get(ctx, id)
  await checkLink(ctx, fields.linkedOrgId, before.linkedOrgId)
  if (fields.receiveKind === 'PERSONAL' && !before.idName && !idName)
    throw fieldRefusal(common.invalid, 'idName')
  await unique(
    updateVersion(
      ctx,
      'referrers',
      { id, version },
      {
        ...columns('referrers', fields),
        ...(mobile ? mobileOf(ctx, before.orgId, mobile) : {}),
        // another name is another person: his account is not the one that was bound
        ...(idName
          ? {
              id_name: q.seal(ctx.app, 'id_name', before.orgId, idName),
              ...{ openid: null, bound_at: null },
            }
          : {}),
      },
    ),
  )
  await keepDevices(ctx, { id, orgId: before.orgId }, deviceIds)
  if (idName) await forgetAccounts(ctx, before)
  // a code that was sent to who he was binds nobody any more
  if (idName || mobile || fields.receiveKind !== 'PERSONAL')
    await sql`delete from referrer_codes where referrer_id = ${id}`.execute(ctx.db)
  const after = await get(ctx, id)
  told(ctx, before, after)
  return after
}

const setStatus: Handlers<Contract>['setStatus'] = async (ctx, { id, version, status }) => {
  const before = await get(ctx, id)
  await updateVersion(ctx, 'referrers', { id, version }, { status })
  const after = await get(ctx, id)
  told(ctx, before, after)
  return after
}

const remove: Handlers<Contract>['remove'] = async (ctx, { id, version }) => {
  const before = await get(ctx, id)
  // whoever puts him into a strategy waits
  await sql`select from referrers where id = ${id} for update`.execute(ctx.db)
  const used = await exists(ctx.db)`select 1 from referrers r where r.id = ${id} and ${inUse}`
  reject(used ? referrerErrors.inUse : null)
  await deleteVersion(ctx, 'referrers', { id, version })
  told(ctx, before, null)
  return { ok: true as const }
}

const hash = (code: string): Buffer => createHash('sha256').update(code).digest()
const pagePath = '/bind-referrer'

const bindQrcode: Handlers<Contract>['bindQrcode'] = async (ctx, { id }) => {
  const row = await get(ctx, id)
  reject(bindable(row.receiveKind))
  const code = randomBytes(32).toString('base64url')
  const expires = new Date(ctx.now.getTime() + codeMinutes * 60_000)
  // one code at a time: the last one that was sent
  await sql`select from referrers where id = ${id} for no key update`.execute(ctx.db)
  await sql`delete from referrer_codes where referrer_id = ${id}`.execute(ctx.db)
  await sql`insert into referrer_codes (code_hash, org_id, referrer_id, made_by, expires_at)
    values (${hash(code)}, ${row.orgId}, ${id}, ${ctx.actor.userId}::bigint, ${expires})`.execute(
    ctx.db,
  )
  ctx.audit({ id, name: row.referrerName, orgId: row.orgId })
  return {
    url: publicLink(ctx.app.config, `${pagePath}?k=${code}`),
    expireTime: expires.toISOString(),
  }
}

type Asked = {
  id: number
  orgId: number
  name: string
  orgName: string
  idName: Buffer
}
const asked = (ctx: Pick<Ctx, 'db' | 'now'>, code: string) =>
  rowOf<Asked>(ctx.db)`select r.id, r.org_id as "orgId", r.referrer_name as name,
      r.id_name as "idName", o.name as "orgName"
    from referrer_codes c join referrers r on r.id = c.referrer_id
    join organisations o on o.id = r.org_id
    where c.code_hash = ${hash(code)} and c.used_at is null and c.expires_at > ${ctx.now}
      and r.status = 'ENABLED' and r.receive_kind = 'PERSONAL'`

const look: Handlers<Contract>['look'] = async (ctx, { code }) => {
  const row = await asked(ctx, code)
  if (!row) throw new Refusal(referrerErrors.codeOver)
  const provider = identityProvider(ctx.app.config)
  if (!provider) throw new Refusal(referrerErrors.unavailable)
  const back = publicLink(ctx.app.config, `${pagePath}?k=${code}`)
  return {
    ...{ name: shownName(row.name), orgName: row.orgName },
    authorizeUrl: provider.authorizeUrl(back, 'referrer'),
  }
}

/** Who the phone is, is asked outside the transaction. */
const whoIs = async (app: App, oauthCode: string | undefined): Promise<string> => {
  const provider = identityProvider(app.config)
  const who = await provider?.identify({ oauthCode, nickname: 'referrer' })
  if (!who) throw new Refusal(referrerErrors.unavailable)
  return who.openid
}
const bind = prepared<Contract['bind'], string>({
  // anybody may ask: WeChat only for a code that somebody made
  async prepare(app, { code, oauthCode }) {
    const known = await app.database.aside((db) => asked({ db, now: app.now() }, code))
    if (!known) throw new Refusal(referrerErrors.codeOver)
    return whoIs(app, oauthCode)
  },
  async run(ctx, { code }, openid) {
    const row = await asked(ctx, code)
    // the code is spent by one statement: of two phones one binds
    const { numAffectedRows } = await sql`update referrer_codes set used_at = ${ctx.now}
      where code_hash = ${hash(code)} and used_at is null and expires_at > ${ctx.now}`.execute(
      ctx.db,
    )
    if (!row || !numAffectedRows) throw new Refusal(referrerErrors.codeOver)
    await sql`update referrers set openid = ${q.seal(ctx.app, 'openid', row.orgId, openid)},
      bound_at = ${ctx.now}, version = version + 1 where id = ${row.id}`.execute(ctx.db)
    await bindPhone(ctx, {
      ...{ id: row.id, orgId: row.orgId, openid },
      holder: q.open(ctx.app, 'id_name', row.orgId, row.idName),
    })
    ctx.audit({ id: row.id, name: row.name, orgId: row.orgId })
    ctx.touch('referrers', [row.orgId])
    return { name: shownName(row.name) }
  },
})

export const handlers: Handlers<Contract> = {
  async list(ctx, input) {
    const { rows, total } = await q.listRows(ctx, input)
    return { list: rows.map((row) => shown(ctx, row)), total }
  },
  async options(ctx, input) {
    return { list: await q.options(ctx, input) }
  },
  create,
  update,
  setStatus,
  remove,
  bindQrcode,
  look,
  bind,
}
