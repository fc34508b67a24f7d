import { sql } from 'kysely'
import { createRandom, type Random } from '../../seed/random.ts'
import { masked } from '../../server/auditMask.ts'
import type { Db } from '../../server/database.ts'
import { dayMs, shanghaiDay, startOfDay } from '../../shared/instants.ts'
import { auditText } from './server/actionText.ts'

/**
 * Two weeks of what the demo people did, about things that exist; the running sealer seals it like
 * any other rows.
 */
type Person = { id: number; org_id: number; username: string; role: string; org_ids: number[] }
type Thing = {
  id: string
  org_id: number
  name: string
  price?: number
  reason?: string
  amount?: number
  at?: Date
}
type LogSeed = {
  at: Date
  person: Person
  orgId: number
  action: string
  id: string
  name: string
  before?: object
  after?: object
  refused?: { error: string; text: string }
}

const days = 14
const agents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.60',
]
/** Each person works from one place and one browser. */
const addressOf = (person: Person) =>
  `113.${87 + (person.org_id % 6)}.${10 + ((person.org_id * 7) % 200)}.${20 + (person.id % 200)}`
const agentOf = (person: Person) => agents[person.id % agents.length] as string

export async function seedAudit(db: Db, now: Date): Promise<void> {
  const random = createRandom('operation log')
  const people = await peopleOf(db)
  const things = await thingsOf(db, now)
  const rows = Array.from({ length: days }, (_, back) =>
    dayOf(random, people, things, now, days - 1 - back),
  ).flat()
  for (const refund of things.refunds) {
    const person = people.find(
      (one) => one.org_id === refund.org_id && ['ROLE_RTU_SP', 'ROLE_FINANCE'].includes(one.role),
    )
    if (!person || !refund.at) continue
    const after = { units: [1], amount: refund.amount, reason: refund.reason, remark: '' }
    rows.push({
      at: refund.at,
      person,
      orgId: refund.org_id,
      action: 'orders.refund',
      id: refund.id,
      name: refund.id,
      after,
    })
  }
  const sorted = rows.filter((row) => row.at < now).sort((a, b) => a.at.getTime() - b.at.getTime())
  await insertLogs(db, sorted, random)
  await insertAttempts(db, people, random, now)
}

async function peopleOf(db: Db): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select u.id, u.org_id, u.username, (select r.code from user_roles ur
      join roles r on r.id = ur.role_id where ur.user_id = u.id order by r.rank desc
      limit 1) as role,
      (select array_agg(b.id) from organisations a join organisations b on b.path <@ a.path
        where a.id = u.org_id) as org_ids
    from users u where u.status = 'ENABLED' order by u.id`.execute(db)
  return rows
}

async function thingsOf(
  db: Db,
  now: Date,
): Promise<{ products: Thing[]; devices: Thing[]; refunds: Thing[] }> {
  const from = new Date(now.getTime() - days * dayMs)
  const ask = async (query: ReturnType<typeof sql<Thing>>) => (await query.execute(db)).rows
  return {
    products: await ask(
      sql<Thing>`select id::text as id, org_id, name, retail_price as price from products
        order by id`,
    ),
    devices: await ask(
      sql<Thing>`select id::text as id, org_id, rtu_number as name from devices
        where lifecycle = 'OPERATING' order by id`,
    ),
    refunds: await ask(sql<Thing>`select order_num as id, org_id, order_num as name, reason,
        sum(amount) as amount, max(succeeded_at) as at from refunds
      where not automatic and succeeded_at >= ${from} and succeeded_at < ${now}
      group by order_num, org_id, reason order by 6`),
  }
}

const remarks = [
  '已重启主板，恢复正常',
  '更换掉货传感器',
  '清理卡货，试出货 2 次正常',
  '现场检查无异常',
  '更换温度探头',
]
const places = ['一楼大堂', '负一层电梯口', '三楼茶水间', '东门岗亭旁', '食堂入口']

type Things = Awaited<ReturnType<typeof thingsOf>>
/**
 * One day of the office: most people do little, some do nothing, the platform looks after
 * everybody.
 */
function dayOf(
  random: Random,
  people: readonly Person[],
  things: Things,
  now: Date,
  back: number,
): LogSeed[] {
  const midnight = startOfDay(shanghaiDay(new Date(now.getTime() - back * dayMs))).getTime()
  const weekend = [0, 6].includes(new Date(midnight + 43_200_000).getUTCDay())
  const at = () =>
    new Date(midnight + (8 * 60 + random.int(20, 620)) * 60_000 + random.int(0, 59_999))
  return people
    .filter((person) =>
      [
        'ROLE_SUPER_ADMIN',
        'ROLE_ADMIN',
        'ROLE_RTU_AGENT',
        'ROLE_RTU_SP',
        'ROLE_RTU_REPAIRER',
        'ROLE_FINANCE',
        'ROLE_RTU_REPLENISHER',
      ].includes(person.role),
    )
    .filter(() => random.chance(weekend ? 0.25 : 0.75))
    .flatMap((person) => {
      const acts: LogSeed[] = []
      const own = <T extends Thing>(list: readonly T[]) =>
        list.filter((thing) => person.org_ids.includes(thing.org_id))
      const [devices, products] = [own(things.devices), own(things.products)]
      const manages = ['ROLE_SUPER_ADMIN', 'ROLE_ADMIN', 'ROLE_RTU_AGENT', 'ROLE_RTU_SP'].includes(
        person.role,
      )
      if (manages && products.length && random.chance(0.6)) {
        const product = random.pick(products)
        const price = Math.max(100, (product.price ?? 300) + random.pick([-50, 50, 100]))
        acts.push({
          at: at(),
          person,
          orgId: product.org_id,
          action: 'products.edit',
          id: product.id,
          name: product.name,
          before: { name: product.name, retailPrice: price },
          after: { name: product.name, retailPrice: product.price },
        })
      }
      if (manages && devices.length && random.chance(0.5)) {
        const device = random.pick(devices)
        const [old, next] = [random.pick(places), random.pick(places)]
        acts.push({
          at: at(),
          person,
          orgId: device.org_id,
          action: 'devices.update',
          id: device.id,
          name: device.name,
          before: { address: old },
          after: { address: next },
        })
      }
      if (
        (manages || person.role === 'ROLE_RTU_REPAIRER') &&
        devices.length &&
        random.chance(0.35)
      ) {
        const device = random.pick(devices)
        acts.push({
          at: at(),
          person,
          orgId: device.org_id,
          action: 'devices.handleFault',
          id: String(random.int(1, 900)),
          name: `${device.name} 电机未转动`,
          after: { remark: random.pick(remarks) },
        })
      }
      if (random.chance(0.06)) {
        const refused = { error: 'common.forbidden', text: '设备新增（无权限执行该操作）' }
        if (!manages)
          acts.push({
            at: at(),
            person,
            orgId: person.org_id,
            action: 'devices.create',
            id: '',
            name: '',
            refused,
          })
      }
      if (manages && things.refunds.length && random.chance(0.05)) {
        const refund = random.pick(
          own(things.refunds).length ? own(things.refunds) : things.refunds,
        )
        const refused = {
          error: 'orders.alreadyRefunded',
          text: `退款：${refund.id}（该商品已退款或正在退款）`,
        }
        if (person.org_ids.includes(refund.org_id))
          acts.push({
            at: at(),
            person,
            orgId: person.org_id,
            action: 'orders.refund',
            id: refund.id,
            name: refund.id,
            refused,
          })
      }
      if (random.chance(0.4))
        acts.push({
          at: new Date(midnight + (18 * 60 + random.int(0, 80)) * 60_000),
          person,
          orgId: person.org_id,
          action: 'session.logout',
          id: String(person.id),
          name: person.username,
        })
      return acts
    })
}

const hex = (random: Random, length: number) =>
  Array.from({ length }, () => random.int(0, 15).toString(16)).join('')
const requestId = (random: Random) =>
  `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`

async function insertLogs(db: Db, rows: readonly LogSeed[], random: Random): Promise<void> {
  const json = rows.map((row) => ({
    org_id: row.orgId,
    created_at: row.at.toISOString(),
    user_id: row.person.id,
    actor_org_id: row.person.org_id,
    username: row.person.username,
    level: row.refused ? 'ERROR' : 'INFO',
    action: row.action,
    content: row.refused?.text ?? auditText(row.action, row.name),
    resource_id: row.id,
    target_name: row.name,
    result: row.refused ? 'REFUSED' : 'SUCCESS',
    error_name: row.refused?.error ?? '',
    before: row.before ? masked(row.before) : null,
    after: row.after ? masked(row.after) : null,
    ip_address: addressOf(row.person),
    user_agent: agentOf(row.person),
    request_id: requestId(random),
    duration_ms: random.int(6, 90),
  }))
  await sql`insert into operation_logs (org_id, created_at, user_id, actor_org_id, username, level,
    action, content, resource_id, target_name, result, error_name, before, after, ip_address,
    user_agent,
      request_id, duration_ms)
    select org_id, created_at, user_id, actor_org_id, username, level, action, content, resource_id,
      target_name, result, error_name, before, after, ip_address, user_agent, request_id,
      duration_ms
    from jsonb_to_recordset(${JSON.stringify(json)}::jsonb) as r(org_id bigint,
      created_at timestamptz, user_id bigint, actor_org_id bigint, username text, level text,
      action text, content text,
      resource_id text, target_name text, result text, error_name text, before jsonb, after jsonb,
      ip_address text, user_agent text, request_id text, duration_ms int)
      order by created_at`.execute(db)
}

/** Mornings of the same people, with the mistakes they make, and what strangers try at night. */
async function insertAttempts(
  db: Db,
  people: readonly Person[],
  random: Random,
  now: Date,
): Promise<void> {
  const rows: object[] = []
  for (let back = days - 1; back >= 0; back -= 1) {
    const midnight = startOfDay(shanghaiDay(new Date(now.getTime() - back * dayMs))).getTime()
    const add = (
      minute: number,
      person: Person | null,
      username: string,
      reason: string,
      ip: string,
      agent: string,
    ) => {
      const at = midnight + minute * 60_000 + random.int(0, 59_999)
      if (at >= now.getTime()) return
      rows.push({
        at: new Date(at).toISOString(),
        org_id: person?.org_id ?? null,
        user_id: person?.id ?? null,
        username,
        ok: reason === 'OK',
        reason,
        ip,
        agent,
      })
    }
    for (const person of people) {
      if (!random.chance(0.55)) continue
      const minute = 8 * 60 + random.int(0, 110)
      if (random.chance(0.08))
        add(minute, person, person.username, 'WRONG', addressOf(person), agentOf(person))
      add(minute + 1, person, person.username, 'OK', addressOf(person), agentOf(person))
    }
    if (random.chance(0.3))
      add(
        random.int(60, 300),
        null,
        random.pick(['root', 'administrator', 'test']),
        'UNKNOWN',
        `45.${random.int(10, 200)}.${random.int(1, 250)}.7`,
        'curl/8.5.0',
      )
  }
  await sql`insert into login_attempts (org_id, user_id, username, ok, reason, ip, user_agent,
    created_at) select org_id, user_id, username, ok, reason, ip, agent, at
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(org_id bigint, user_id bigint,
      username text, ok boolean, reason text, ip text, agent text, at timestamptz)
      order by at`.execute(db)
}
