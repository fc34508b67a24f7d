import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type pg from 'pg'
import { createHandlers } from '../../src/domains/orders/server/create.ts'
import { applyPayment } from '../../src/domains/orders/server/verbs.ts'
import type { App } from '../../src/server/context.ts'
import { bySystem } from '../../src/server/run.ts'
import { tokenHash } from '../../src/server/sessions.ts'

/** What benchmarks with machines share: an operator and its machines, a sale, the process of the machines, a pulse. */
/** One operator with all machines, four full lanes each, and a session of its user. */
export async function fill(owner: pg.Client, machines: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await owner.query(`insert into organisations (id, parent_id, path, kind, name) values (2, 1, '1.2', 'OPERATOR', 'bench')`)
  await owner.query(`insert into roles (id, org_id, code, name, name_en, rank, data_scope) values (90000, 2, 'ROLE_BENCH', 'b', 'b', 5, 'ORG_TREE')`)
  await owner.query(`insert into role_permissions values (90000, 'device:read')`)
  await owner.query(`insert into users (id, org_id, username, password_hash, real_name) values (90000, 2, 'bench', 'x', 'b')`)
  await owner.query(`insert into user_roles (user_id, role_id, org_id) values (90000, 90000, 2)`)
  await owner.query(
    `insert into sessions (token_hash, user_id, org_id, ip, user_agent, created_at, last_seen_at, expires_at) values ($1, 90000, 2, '', '', now(), now(), now() + interval '1 day')`,
    [tokenHash(token)],
  )
  await owner.query(
    `insert into device_types (id, org_id, name, screen, refrigeration, pattern, kind, drop_sensor, max_levels, max_roads) values (90000, 2, 't', true, true, 'spring', 'GENERAL', true, 6, 10)`,
  )
  await owner.query(`insert into product_categories (id, org_id, name) values (90000, 2, 'c')`)
  await owner.query(
    `insert into products (id, org_id, category_id, name, model, drug_class, cost_price, retail_price, images) values (90000, 2, 90000, 'water', 'x', 'NONE', 100, 300, '{a}')`,
  )
  const numbers = Array.from({ length: machines }, (_, n) => rtuOf(n))
  await owner.query(
    `insert into devices (id, org_id, rtu_number, nickname, type_id, province, city, county, address, kind, lifecycle, drop_sensor, secret_hash, broker_hash)
    select 90000 + n, 2, rtu, rtu, 90000, '110000', '110100', '110101', 'a', 'GENERAL', 'OPERATING', true, hash, '$7$1$' || repeat('A', 16) || '$' || repeat('A', 86) || '==' from unnest($1::text[], $2::bytea[]) with ordinality as x(rtu, hash, n)`,
    [numbers, numbers.map((rtu) => createHash('sha256').update(`secret-${rtu}`).digest())],
  )
  await owner.query(`insert into device_states (device_id, org_id) select id, 2 from devices`)
  await owner.query(`insert into lane_floors (org_id, device_id, level, name) select 2, id, 1, '1' from devices`)
  await owner.query(
    `insert into lanes (org_id, device_id, floor_id, road_index, col, motor_no, product_id, capacity, quantity, retail_price, price) select 2, f.device_id, f.id, n, n, n, 90000, 199, 199, 300, 300 from lane_floors f, generate_series(1, 4) n`,
  )
  await owner.query('analyze')
  return token
}
export function rtuOf(n: number): string {
  return `B${String(n + 1).padStart(6, '0')}`
}

type Answer = Record<string, number> & { acked: number | [string, number[]][] }
export function ask(child: ChildProcess, message: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer: Answer & { failed?: string }) => (answer.failed ? reject(new Error(answer.failed)) : resolve(answer)))
    child.send(message)
  })
}

/** Orders and pays one piece, by the verbs that the calls of customers run. */
export async function sell(app: App, rtuNumber: string, roadIndex: number): Promise<void> {
  const order = await bySystem(app, (ctx) =>
    createHandlers.mobileOrder(ctx, { rtuNumber, items: [{ roadIndex, count: 1, price: 300 }], payType: 'WECHAT', clientId: randomUUID(), consumer: '' }),
  )
  await bySystem(app, async (ctx) => {
    const payment = await ctx.db
      .selectFrom('payments')
      .select(['id', 'org_id', 'order_id', 'order_at', 'order_num'])
      .where('out_trade_no', '=', order.outTradeNo)
      .executeTakeFirstOrThrow()
    await applyPayment(ctx, payment as Parameters<typeof applyPayment>[1], { orderPaid: true })
    await ctx.db.updateTable('payments').set({ state: 'SUCCESS', applied: true, paid_at: ctx.now }).where('id', '=', payment.id).execute()
  })
}

/** Asks ten times a second until it is called; answers how it went. */
export function pulseOf(url: string, token: string): () => Promise<{ p50: number; p99: number; max: number; count: number; errors: number }> {
  const times: number[] = []
  const running: Promise<void>[] = []
  let errors = 0
  const timer = setInterval(() => {
    const start = performance.now()
    const asked = fetch(url, { headers: { authorization: token } }).then(
      async (response) => {
        await response.arrayBuffer()
        times.push(performance.now() - start)
        if (response.status !== 200) errors += 1
      },
      () => {
        errors += 1
      },
    )
    running.push(asked)
  }, 100)
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
    return { p50: at(0.5), p99: at(0.99), max: times.at(-1) ?? 0, count: times.length, errors }
  }
}
