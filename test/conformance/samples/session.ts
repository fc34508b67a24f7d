import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { identityProvider, signIdentity } from '../../../src/domains/session/server/identity.ts'
import { codeHash } from '../../../src/domains/session/server/sms.ts'
import { hashPassword } from '../../../src/server/passwords.ts'
import { sealSecret } from '../../../src/server/secretBox.ts'
import { picture, place, type World, worldNow } from '../../support/world.ts'
import type { DomainSamples, Source } from './kit.ts'

/** Nobody's uuid: sessions and tickets of others answer as if they were not there. */
const byUuid: Source = {
  own: (where) => `00000000-0000-4000-8000-00000000000${place[where]}`,
  none: '99999999-0000-4000-8000-000000000000',
}
const phone = () => `139${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
const password = 'Old-Secret-2026'

async function ticket(
  world: World,
  change: { state?: string; openid?: string; purpose?: string } = {},
) {
  const secret = randomBytes(32).toString('base64url')
  const [row] = await world.sql<{ id: string }>(
    `insert into scan_tickets (org_id, purpose, state, openid, user_id, secret_hash, ip, user_agent,
      created_at, expires_at)
      select 1, $1, $2, $3, id, $4, '', '', $5, $5::timestamptz + interval '2 minutes' from users
      where username = 'ROLE_FULL' returning id`,
    [
      change.purpose ?? 'LOGIN',
      change.state ?? 'WAITING',
      change.openid ?? null,
      createHash('sha256').update(secret).digest(),
      worldNow,
    ],
  )
  return { id: row?.id as string, secret }
}
/** A phone bound to ROLE_FULL. */
async function identity(world: World) {
  const openid = `sim-${randomUUID()}`
  await world.sql(`delete from wechat_bindings`)
  await world.sql(
    `insert into wechat_bindings (user_id, org_id, openid) select id, org_id, $1 from users
      where username = 'ROLE_FULL'`,
    [openid],
  )
  const provider = identityProvider(world.app.config)
  if (!provider) throw new Error('no identity provider')
  return {
    openid,
    identity: signIdentity(
      world.app.config,
      provider,
      { openid, unionid: '', nickname: '微' },
      worldNow,
    ),
  }
}
async function code(world: World, purpose: 'LOGIN' | 'RESET' | 'CHANGE_PHONE', to: string) {
  await world.sql(
    `insert into sms_codes (org_id, phone, purpose, user_id, code_hash, ip, deliver, send_state,
      created_at, resend_at, expires_at)
      select org_id, $1, $2, id, $3, '', true, 'SENT', $4, $4::timestamptz + interval '1 minute',
        $4::timestamptz + interval '5 minutes' from users where username = 'ROLE_FULL'`,
    [to, purpose, codeHash(world.app, to, purpose, '123456'), worldNow],
  )
  return '123456'
}
const known = async (world: World) => {
  await world.sql('delete from second_factors')
  await world.sql(
    `update users set password_hash = $1, locked_until = null where username = 'ROLE_FULL'`,
    [await hashPassword(password)],
  )
  return password
}

/** A second factor of ROLE_FULL, the code of now, and the ticket of a sign-in that waits for it. */
async function factor(world: World, confirmed: boolean) {
  const secret = new Secret({ size: 20 })
  const ticket = randomBytes(32).toString('base64url')
  const [user] = await world.sql<{ id: string; org_id: string }>(
    `select id, org_id from users where username = 'ROLE_FULL'`,
  )
  const sealed = sealSecret(
    world.app.config,
    'session.factor',
    `second_factors.secret|${user?.id}`,
    secret.base32,
  )
  await world.sql('delete from second_factors')
  await world.sql(
    `insert into second_factors (user_id, org_id, secret, confirmed_at, created_at)
      values ($1, $2, $3, $4, $5)`,
    [user?.id, user?.org_id, sealed, confirmed ? worldNow : null, worldNow],
  )
  await world.sql(
    `insert into factor_tickets (token_hash, org_id, user_id, created_at, expires_at)
      values ($1, $2, $3, $4, $4::timestamptz + interval '1 minute')`,
    [createHash('sha256').update(ticket).digest(), user?.org_id, user?.id, worldNow],
  )
  return { ticket, code: new TOTP({ secret }).generate({ timestamp: worldNow.getTime() }) }
}
/** The link in the message about another phone of ROLE_FULL. */
async function changed(world: World): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const hash = createHash('sha256').update(token).digest()
  const before = sealSecret(
    world.app.config,
    'session.ways',
    `way_changes.before|${hash.toString('hex')}`,
    '{"phone":"13800138000","wechat":null,"factor":null}',
  )
  await world.sql(
    `insert into way_changes (org_id, user_id, kind, before, token_hash, created_at, expires_at,
      send_state)
      select org_id, id, 'PHONE', $1, $2, $3, $3::timestamptz + interval '1 hour', 'NONE' from users
      where username = 'ROLE_FULL'`,
    [before, hash, worldNow],
  )
  return token
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
      return {
        id: (await ticket(world, { state: 'SCANNED', openid: who.openid })).id,
        identity: who.identity,
      }
    },
    'session.refuseScan': async (world) => {
      const who = await identity(world)
      return {
        id: (await ticket(world, { state: 'SCANNED', openid: who.openid })).id,
        identity: who.identity,
      }
    },
    'session.passwordReset': async (world) => {
      const to = phone()
      await world.sql(`update users set phone = $1 where username = 'ROLE_FULL'`, [to])
      const next = `New-Secret-${randomUUID().slice(0, 8)}1`
      return {
        username: 'ROLE_FULL',
        phone: to,
        smsCode: await code(world, 'RESET', to),
        password: next,
        repeat: next,
      }
    },
    'session.changePhone': async (world) => {
      const to = phone()
      return { phone: to, smsCode: await code(world, 'CHANGE_PHONE', to) }
    },
    'session.editProfile': async (world) => ({
      realName: '张三',
      img: picture('OWN'),
      address: '',
      version: (
        await world.sql<{ version: number }>(
          `select version from users where username = 'ROLE_FULL'`,
        )
      )[0]?.version,
    }),
    'session.changePassword': async (world) => {
      const oldPassword = await known(world)
      const next = `New-Secret-${randomUUID().slice(0, 8)}1`
      return { oldPassword, password: next, repeat: next }
    },
    'session.endSession': async (world) => {
      const [row] = await world.sql<{ id: string }>(
        `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at,
          last_seen_at, expires_at)
          select $1, id, org_id, '', '', $2, $2, $2::timestamptz + interval '1 day' from users
          where username = 'ROLE_FULL' returning id`,
        [randomBytes(32), worldNow],
      )
      return { id: row?.id }
    },
    'session.endOthers': async () => ({}),
    'session.unbind': async (world) => {
      await identity(world)
      return { password: await known(world) }
    },
    'session.prove': async (world) => ({ password: await known(world) }),
    'session.passFactor': async (world) => {
      const { ticket, code: right } = await factor(world, true)
      return { ticket, code: right }
    },
    'session.undo': async (world) => ({ token: await changed(world) }),
    'session.enrolFactor': async (world) => {
      await world.sql('delete from second_factors')
      return {}
    },
    'session.confirmFactor': async (world) => ({ code: (await factor(world, false)).code }),
    'session.newRecoveryCodes': async (world) => {
      await factor(world, true)
      return {}
    },
    'session.dropFactor': async (world) => {
      await factor(world, true)
      return {}
    },
    'session.savePreference': async () => ({ key: 'orders.columns', value: ['a'] }),
  },
}
