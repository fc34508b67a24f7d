import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../../test/support/registry.ts'
import { openWorld, place, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { toRequest } from '../../../shared/contract.ts'
import { workbench } from '../contract.ts'

/** Who has a display link and tries to get more out of it than the wall of its organisation. */
let world: World
let token = ''
let base = ''
const clock = { now: worldNow }
beforeAll(async () => {
  world = await openWorld({ now: () => clock.now, config: { RATE_LIMIT: '100000' } })
  token = await world.login('PLATFORM_FULL')
  await world.http.listen({ host: '127.0.0.1', port: 0 })
  base = `http://127.0.0.1:${(world.http.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  world.app.live.endStreams()
  await world.close()
})

const create = (change: Record<string, unknown> = {}, as = token) =>
  world.call(
    workbench.createLink,
    { orgId: place.OWN, name: '大厅', money: true, time: 'D7', ...change },
    { token: as },
  )
type Made = { id: number; code: string; url: string }
const made = async (change: Record<string, unknown> = {}): Promise<Made> => {
  const { body, status } = await create(change)
  expect(status).toBe(200)
  return { ...body, code: new URL(body.url).hash.slice(1) }
}
const wall = (code: string) => world.call(workbench.wall, {}, { token: code })
const over = { code: 404004, error: 'workbench.linkOver' }

test('it shows sums of its organisation and those below, and nobody in them', async () => {
  const { code, url } = await made()
  expect(new URL(url).pathname).toBe('/screen')
  const { body, status } = await wall(code)
  expect(status).toBe(200)
  expect(body.orgName).toBe('机构OWN')
  const own = [place.OWN, place.CHILD]
  const [sums] = await world.sql<{ orders: number; turnover: number; machines: number }>(
    `select (select sum(orders) from sales_rollups where grain = 'TOTAL' and org_id = any($1))::int
        as orders,
      (select sum(turnover) from sales_rollups where grain = 'TOTAL' and org_id = any($1))::int
        as turnover,
      (select count(*) from devices where lifecycle in ('OPERATING', 'PAUSED')
        and org_id = any($1))::int as machines`,
    [own],
  )
  expect(body.total).toEqual({ orders: sums?.orders, turnover: sums?.turnover })
  expect(body.devices.total).toBe(sums?.machines)
  expect(body.sales.length).toBeGreaterThan(0)
  const text = JSON.stringify(body)
  // neither other places nor what names a person or an order
  for (const where of ['PLATFORM', 'PARENT', 'SIBLING']) expect(text).not.toContain(where)
  const people = await world.sql<{ word: string }>(
    `select username as word from users union select real_name from users where real_name <> ''
      union select order_num from orders union select consumer from orders where consumer <> ''`,
  )
  for (const { word } of people) expect(text).not.toContain(word)
})

test('without amounts none is sent', async () => {
  const { code } = await made({ money: false })
  const { body } = await wall(code)
  expect([body.today.turnover, body.total.turnover, body.before.turnover]).toEqual([
    null,
    null,
    null,
  ])
  for (const row of [...body.days, ...body.orgs]) expect(row.turnover).toBeNull()
  for (const sale of body.sales) expect(sale.amount).toBeNull()
})

test('its code opens nothing else: every other endpoint refuses it', async () => {
  const { code } = await made()
  const wrong: string[] = []
  for (const { name, endpoint } of endpoints) {
    if (endpoint.access === 'open') continue
    const path = endpoint.path.replace(/\{\w+\}/g, String(rowId('OWN', 1)))
    const { url } = toRequest({ ...endpoint, path, method: 'GET' }, {})
    const answer = await world.http.inject({
      method: endpoint.method,
      url,
      headers: { authorization: `Bearer ${code}` },
    })
    if (answer.statusCode !== 401) wrong.push(`${name} ${answer.statusCode}`)
  }
  expect(wrong).toEqual([])
  const events = await fetch(`${base}/api/me/events`, { headers: { authorization: code } })
  expect(events.status).toBe(401)
})

test.each([
  ['none', ''],
  ['a session', () => token],
  ['another code', 'A'.repeat(43)],
  [
    'its hash',
    async () => {
      const { id } = await made()
      const [row] = await world.sql<{ h: Buffer }>(
        'select token_hash as h from screen_links where id = $1',
        [id],
      )
      return (row?.h ?? Buffer.alloc(0)).toString('base64url')
    },
  ],
  ['words of SQL', `' or 1=1 --`],
] as [string, string | (() => string | Promise<string>)][])('%s is no code', async (_, given) => {
  const code = typeof given === 'string' ? given : await given()
  expect((await wall(code)).body).toMatchObject(over)
  const events = await fetch(`${base}/api/screen/events`, { headers: { authorization: code } })
  expect(events.status).toBe(404)
})

test('the code is kept in no row and no log', async () => {
  const { id, code } = await made()
  const [row] = await world.sql<{ text: string }>(
    `select to_jsonb(l)::text || coalesce((select string_agg(x::text, '') from operation_logs x
      where action like 'workbench.%'), '') as text from screen_links l where id = $1`,
    [id],
  )
  expect(row?.text).not.toContain(code)
  const listed = await world.call(workbench.links, {}, { token })
  expect(JSON.stringify(listed.body)).not.toContain(code)
})

describe('it ends', () => {
  const within = (ms: number, ended: Promise<unknown>) =>
    Promise.race([
      ended.then(() => 'ended'),
      new Promise((resolve) => setTimeout(() => resolve('open'), ms)),
    ])

  test('when it is revoked, at once where it is open, and once', async () => {
    const { id, code } = await made()
    const stream = await fetch(`${base}/api/screen/events`, { headers: { authorization: code } })
    expect(stream.status).toBe(200)
    const ended = stream.text()
    const revoke = () => world.call(workbench.revokeLink, { id, version: 1 }, { token })
    expect((await revoke()).status).toBe(200)
    expect(await within(3000, ended)).toBe('ended')
    expect((await wall(code)).body).toMatchObject(over)
    expect((await revoke()).body.code).toBe(409001)
    const logged = await world.sql<{ action: string }>(
      `select action from operation_logs where action like 'workbench.%' and resource_id = $1
        and result = 'SUCCESS'`,
      [String(id)],
    )
    expect(logged.map(({ action }) => action).sort()).toEqual([
      'workbench.createLink',
      'workbench.revokeLink',
    ])
  })

  test('at its time', async () => {
    const { code } = await made({ time: 'H1' })
    clock.now = new Date(worldNow.getTime() + 3_599_000)
    expect((await wall(code)).status).toBe(200)
    clock.now = new Date(worldNow.getTime() + 3_600_000)
    expect((await wall(code)).body).toMatchObject(over)
    clock.now = worldNow
  })

  const changed = async (change: string, back: string, code: string) => {
    expect((await wall(code)).status).toBe(200)
    await world.sql(change)
    const { body } = await wall(code)
    await world.sql(back)
    return body
  }
  test('with its organisation', async () => {
    const { code } = await made()
    const set = (status: string) =>
      `update organisations set status = '${status}' where id = ${place.OWN}`
    expect(await changed(set('DISABLED'), set('ENABLED'), code)).toMatchObject(over)
  })
  test('with whoever made it, and with his right', async () => {
    const { code } = await made()
    const user = (status: string) =>
      `update users set status = '${status}' where username = 'PLATFORM_FULL'`
    expect(await changed(user('DISABLED'), user('ENABLED'), code)).toMatchObject(over)
    const [right] = await world.sql<{ role_id: number }>(
      `select role_id from role_permissions where permission_code = 'screen:share' and role_id in
        (select ur.role_id from user_roles ur join users u on u.id = ur.user_id
          where u.username = 'PLATFORM_FULL')`,
    )
    const body = await changed(
      `delete from role_permissions where permission_code = 'screen:share'
        and role_id = ${right?.role_id}`,
      `insert into role_permissions (role_id, permission_code)
        values (${right?.role_id}, 'screen:share')`,
      code,
    )
    expect(body).toMatchObject(over)
  })
})

test('only who may share makes one, of an organisation he sees; not more than twenty', async () => {
  expect((await create({}, await world.login('ROLE_FULL'))).status).toBe(403)
  expect((await create({ orgId: 987_654_321 })).status).toBe(404)
  expect((await create({ name: ' ' })).body.errors[0].field).toBe('name')
  expect((await create({ time: 'D365' })).status).toBe(400)
  expect((await create({ token_hash: 'x' })).status).toBe(400)
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => create({ orgId: place.CHILD })),
  )
  const good = answers.filter(({ status }) => status === 200).length
  const [{ live = 0 } = {}] = await world.sql<{ live: number }>(
    `select count(*)::int as live from screen_links where org_id = ${place.CHILD}
      and revoked_at is null`,
  )
  expect([live, good < 25]).toEqual([20, true])
  expect(answers.find(({ status }) => status === 422)?.body.code).toBe(422521)
})
