import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { identityProvider, signIdentity } from '../../../src/domains/session/server/identity.ts'
import { codeHash } from '../../../src/domains/session/server/sms.ts'
import { hashPassword } from '../../../src/server/passwords.ts'
import { picture, place, type World, worldNow } from '../../support/world.ts'
import type { DomainSamples, Source } from './kit.ts'

/** Nobody's uuid: sessions and tickets of others answer as if they were not there. */
const byUuid: Source = { own: (where) => `00000000-0000-4000-8000-00000000000${place[where]}`, none: '99999999-0000-4000-8000-000000000000' }
const phone = () => `139${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
const password = 'Old-Secret-2026'

async function ticket(world: World, change: { state?: string; openid?: string; purpose?: string } = {}) {
  const secret = randomBytes(32).toString('base64url')
  const [row] = await world.sql<{ id: string }>(
    `insert into scan_tickets (org_id, purpose, state, openid, user_id, secret_hash, ip, user_agent, created_at, expires_at)
      select 1, $1, $2, $3, id, $4, '', '', $5, $5::timestamptz + interval '2 minutes' from users where username = 'ROLE_FULL' returning id`,
    [change.purpose ?? 'LOGIN', change.state ?? 'WAITING', change.openid ?? null, createHash('sha256').update(secret).digest(), worldNow],
  )
  return { id: row?.id as string, secret }
}
/** A phone bound to ROLE_FULL. */
async function identity(world: World) {
  const openid = `sim-${randomUUID()}`
  await world.sql(`delete from wechat_bindings`)
  await world.sql(`insert into wechat_bindings (user_id, org_id, openid) select id, org_id, $1 from users where username = 'ROLE_FULL'`, [openid])
  const provider = identityProvider(world.app.config)
  if (!provider) throw new Error('no identity provider')
  return { openid, identity: signIdentity(world.app.config, provider, { openid, unionid: '', nickname: '微' }, worldNow) }
}
async function code(world: World, purpose: 'LOGIN' | 'RESET' | 'CHANGE_PHONE', to: string) {
  await world.sql(
    `insert into sms_codes (org_id, phone, purpose, user_id, code_hash, ip, deliver, send_state, created_at, resend_at, expires_at)
      select org_id, $1, $2, id, $3, '', true, 'SENT', $4, $4::timestamptz + interval '1 minute', $4::timestamptz + interval '5 minutes' from users where username = 'ROLE_FULL'`,
    [to, purpose, codeHash(world.app, to, purpose, '123456'), worldNow],
  )
  return '123456'
}
const known = async (world: World) => {
  await world.sql(`update users set password_hash = $1, failed_count = 0, locked_until = null where username = 'ROLE_FULL'`, [await hashPassword(password)])
  return password
}

export const session: DomainSamples = {
  pathIds: { 'scan-tickets id': byUuid, 'me id': byUuid },
  samples: {
    'session.login': async (world) => ({ username: 'ROLE_FULL', password: await known(world) }),
    'session.logout': async () => ({}),
    'session.loginsend': async () => ({ channel: 'sms', purpose: 'login', phone: phone() }),
    'session.loginv': async (world) => {
      const { id, secret } = await ticket(world)
      return { channel: 'qr', ticket: id, secret }
    },
    'session.scanIdentity': async () => ({ ticket: randomUUID(), nickname: '手机' }),
    'session.scan': async (world) => {
      const who = await identity(world)
      return { id: (await ticket(world)).id, identity: who.identity }
    },
    'session.confirmScan': async (world) => {
      const who = await identity(world)
      return { id: (await ticket(world, { state: 'SCANNED', openid: who.openid })).id, identity: who.identity }
    },
    'session.refuseScan': async (world) => {
      const who = await identity(world)
      return { id: (await ticket(world, { state: 'SCANNED', openid: who.openid })).id, identity: who.identity }
    },
    'session.passwordReset': async (world) => {
      const to = phone()
      await world.sql(`update users set phone = $1 where username = 'ROLE_FULL'`, [to])
      const next = `New-Secret-${randomUUID().slice(0, 8)}1`
      return { username: 'ROLE_FULL', phone: to, smsCode: await code(world, 'RESET', to), password: next, repeat: next }
    },
    'session.changePhone': async (world) => {
      const to = phone()
      return { phone: to, smsCode: await code(world, 'CHANGE_PHONE', to) }
    },
    'session.editProfile': async (world) => ({
      realName: '张三',
      img: picture('OWN'),
      address: '',
      version: (await world.sql<{ version: number }>(`select version from users where username = 'ROLE_FULL'`))[0]?.version,
    }),
    'session.changePassword': async (world) => {
      const oldPassword = await known(world)
      const next = `New-Secret-${randomUUID().slice(0, 8)}1`
      return { oldPassword, password: next, repeat: next }
    },
    'session.endSession': async (world) => {
      const [row] = await world.sql<{ id: string }>(
        `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at, last_seen_at, expires_at)
          select $1, id, org_id, '', '', $2, $2, $2::timestamptz + interval '1 day' from users where username = 'ROLE_FULL' returning id`,
        [randomBytes(32), worldNow],
      )
      return { id: row?.id }
    },
    'session.endOthers': async () => ({}),
    'session.unbind': async (world) => {
      await identity(world)
      return { password: await known(world) }
    },
    'session.savePreference': async () => ({ key: 'orders.columns', value: ['a'] }),
  },
}
