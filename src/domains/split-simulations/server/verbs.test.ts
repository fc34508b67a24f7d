import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { add, numberFrom } from '../../../../test/factories/things.ts'
import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'
import { claim, runDue } from '../../../server/work.ts'
import { simulationKind } from './jobs.ts'

const path = '/finance/split-simulations'
const strategies = '/finance/split-strategies'
const [agent, operator, sibling, reader, clerk] = [2, 3, 4, 6, 7]
let now = new Date('2026-11-21T06:00:00Z')
let world: OrgTree
const simulate = ['read', 'create', 'update', 'publish', 'simulate', 'export'].map(
  (verb) => `split-strategy:${verb}`,
)
beforeAll(async () => {
  world = await openOrgTree({
    now,
    permissions: simulate,
    people: [
      { user: reader, org: 3, scope: 'ORG_TREE', permissions: ['split-strategy:read'] },
      { user: clerk, org: 3, scope: 'ASSIGNED_DEVICES', permissions: simulate },
    ],
  })
  Object.assign(world.app, { now: () => now })
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
  await add(world.sql, 'product_categories', { id: 1, org_id: 1 })
  await add(world.sql, 'products', { id: 1, org_id: 1 })
  for (const [id, org_id] of [
    [31, 3],
    [32, 3],
    [41, 4],
  ] as const) {
    await add(world.sql, 'devices', { id, org_id })
    await add(world.sql, 'lane_floors', { id, org_id, device_id: id })
    await add(world.sql, 'lanes', { id, org_id, device_id: id, floor_id: id, road_index: 1 })
  }
  await add(world.sql, 'split_strategies', { id: 1, org_id: 3, name: '标准', state: 'PUBLISHED' })
  for (const [id, ratio] of [
    [1, 1000],
    [2, 2000],
  ] as const) {
    const version = { id, org_id: 3, strategy_id: 1, version_no: id }
    await add(world.sql, 'split_strategy_versions', version)
    for (const [party_no, party_org_id, kind, ratio_bp] of [
      [1, 3, 'OPERATOR', 10_000 - ratio],
      [2, 2, 'AGENT', ratio],
    ] as const)
      await add(world.sql, 'split_parties', {
        ...{ org_id: 3, version_id: id, party_no, party_org_id, kind, ratio_bp },
        ...{ name: kind, is_collector: party_no === 1 },
      })
    if (id === 1)
      await world.sql(
        `update split_strategy_versions set state = 'PUBLISHED', published_at = $1,
          valid_from = $1 where id = 1`,
        [new Date('2026-11-01T00:00:00Z')],
      )
  }
  await numberFrom(world.sql, 100, 'split_strategies', 'split_strategy_versions')
  await add(world.sql, 'split_bindings', {
    ...{ org_id: 3, device_id: 31, strategy_id: 1, bound_at: new Date('2026-11-01T00:00:00Z') },
  })
  // every tenth order of two pieces has one that did not leave, every fourth is refunded
  await world.sql(`set session_replication_role = replica`)
  await world.sql(
    `insert into order_units (org_id, created_at, order_id, order_num, unit_no, device_id, lane_id,
      road, product_id, product_name, model, drug_class, img, list_price, discount, paid, cost,
      vend_state, hold, flow_id, refund_state)
    select d.org_id, $1::timestamptz + n * interval '7 minutes', n * 100 + d.id,
      lpad((n * 100 + d.id)::text, 20, '0'), u, d.id, d.id, 1, 1, '水', '瓶', 'NONE', 'x',
      300 + n % 97, 0, 300 + n % 97, 100,
      case when n % 10 = 0 and u = 2 then 'FAILED' else 'SUCCESS' end,
      case when n % 10 = 0 and u = 2 then 'RELEASED' else 'CONSUMED' end,
      case when n % 10 = 0 and u = 2 then null else n end,
      case when n % 10 = 0 and u = 2 or n % 4 = 0 then 'SUCCESS' end
    from devices d, generate_series(1, 1500) n, generate_series(1, 2) u`,
    [new Date('2026-11-10T00:00:00Z')],
  )
  await world.sql(`set session_replication_role = origin`)
  await world.sql(
    `insert into sales_rollups (org_id, device_id, grain, at, paid)
      values (3, 31, 'DAY', $1, 1000)`,
    [new Date('2026-11-10T16:00:00Z')],
  )
})
afterAll(() => world.close())
beforeEach(async () => {
  now = new Date('2026-11-21T06:00:00Z')
  await world.sql('delete from split_simulations')
})
const ask = (change: Record<string, unknown> = {}, user = operator) =>
  world.send(user, 'POST', path, { strategyId: 1, versionNo: 2, ...change })
const get = async (id: number, user = operator) => world.send(user, 'GET', `${path}/${id}`)
const run = () => runDue(world.app, simulationKind(world.app))

test('a draft is compared with what counts, over what was sold on its machines', async () => {
  const asked = await ask()
  expect(asked.body).toMatchObject({
    ...{ versionNo: 2, comparedNo: 1, from: '2026-10-23', to: '2026-11-21', deviceCount: 1 },
    ...{ state: 'QUEUED', total: 3000, done: 0, can: { cancel: true } },
  })
  await run()
  const { body } = await get(asked.body.id)
  expect(body).toMatchObject({ state: 'DONE', done: 3000, can: { cancel: false } })
  const { before, after, parties } = body.result
  expect(after).toEqual(before)
  expect(after).toMatchObject({ orders: 1500, units: 2850 })
  // the same figures in SQL
  const sums = await world.one<{ paid: string; refunded: string }>(
    `select sum(paid) as paid, sum(paid) filter (where refund_state = 'SUCCESS') as refunded
      from order_units where device_id = 31 and vend_state = 'SUCCESS'`,
  )
  expect([after.paid, after.refunded]).toEqual([Number(sums.paid), Number(sums.refunded)])
  const [own, share] = parties
  expect(own.before + share.before).toBe(after.paid - after.refunded - after.fee)
  expect(own.after + share.after).toBe(after.paid - after.refunded - after.fee)
  const kept = after.paid - after.refunded
  // each its ratio, to the ten-thousandth of a fen with its carry
  expect(share.after * 10_000 + share.carry).toBe(kept * 2000)
  expect(Math.abs(share.before - kept * 0.1)).toBeLessThan(5)
  const lines = await world.send(operator, 'GET', `${path}/${asked.body.id}/export?part=PARTY`)
  expect(lines.body.list).toEqual([
    expect.objectContaining({ name: 'OPERATOR', before: own.before, after: own.after }),
    expect.objectContaining({ name: 'AGENT', difference: share.after - share.before }),
  ])
  const listed = await world.send(operator, 'GET', `${path}?strategyId=1&state=DONE`)
  expect(listed.body.total).toBe(1)
})

test('machines, days and what if', async () => {
  const of = async (change: Record<string, unknown>) => {
    const { id } = (await ask(change)).body
    await run()
    return (await get(id)).body.result
  }
  const two = await of({ deviceIds: [31, 32], comparedNo: null })
  expect(two.before.units).toBe(5700)
  expect(two.parties.map((one: { before: number }) => one.before > 0)).toEqual([true, false])
  expect(two.losers.map((one: { id: number }) => one.id).sort()).toEqual([31, 32])
  const day = await of({ from: '2026-11-11', to: '2026-11-11' })
  const inDay = await world.one<{ n: number }>(
    `select count(*)::int as n from order_units where device_id = 31 and vend_state = 'SUCCESS'
      and created_at >= '2026-11-11T00:00:00+08' and created_at < '2026-11-12T00:00:00+08'`,
  )
  expect(day.after.units).toBe(inDay.n)
  expect(day.days.map((one: { day: string }) => one.day)).toEqual(['2026-11-11'])
  const dear = await of({ priceBp: 1000, refundBp: 0, feeBp: 0 })
  expect(dear.after).toMatchObject({ refunded: 0, fee: 0 })
  expect(dear.after.paid).toBeGreaterThan(dear.before.paid)
})

test('of refunds only what went to persons, or to who lets nothing be taken back, is kept', async () => {
  await world.sql(`alter table split_strategy_versions disable trigger keep`)
  await world.sql(`update split_strategy_versions set mode = 'CHANNEL' where id = 2`)
  const kept = async () => {
    const { id } = (await ask()).body
    await run()
    return (await get(id)).body.result.kept
  }
  expect(await kept()).toBe(0)
  await world.sql(`insert into split_receivers (org_id, party_org_id, party_name, provider, kind,
      account, account_hash, account_no, holder, holder_shown, relation, state)
    values (3, 2, '代', 'SIMULATOR', 'MERCHANT_ID', 'a', 'a', '****0101', 'a', '代**', 'PARTNER',
      'REGISTERED')`)
  expect(await kept()).toBe(0)
  await world.sql('update split_receivers set return_consent = false')
  expect(await kept()).toBeGreaterThan(0)
  await world.sql(`update split_receivers set kind = 'PERSONAL_OPENID'`)
  expect(await kept()).toBeGreaterThan(0)
  await world.sql('delete from split_receivers')
  await world.sql(`update split_strategy_versions set mode = 'LEDGER' where id = 2`)
  await world.sql(`alter table split_strategy_versions enable trigger keep`)
})

test('a version for lanes or goods divides those alone', async () => {
  await world.sql('update split_bindings set released_at = now()')
  for (const [change, units] of [
    [`lane_ids = '{31}'`, 2850],
    [`lane_ids = '{}', category_ids = '{1}', device_ids = '{32}'`, 2850],
    [`category_ids = '{1}', device_ids = '{}'`, 5700],
  ] as const) {
    await world.sql(`update split_strategy_versions set ${change} where id = 2`)
    const { id } = (await ask()).body
    await run()
    expect([change, (await get(id)).body.result.after.units]).toEqual([change, units])
  }
  await world.sql(`update split_strategy_versions set category_ids = '{}' where id = 2`)
  await world.sql('update split_bindings set released_at = null')
})

test('what cannot be asked', async () => {
  const wrong = async (change: Record<string, unknown>) => {
    const { body } = await ask(change)
    return body.errors?.[0]?.message ?? body.message
  }
  expect(await wrong({ versionNo: 3 })).toBe('请选择版本')
  expect(await wrong({ comparedNo: 9 })).toBe('请选择版本')
  expect(await wrong({ from: '2026-08-01', to: '2026-11-01' })).toBe('日期范围最多90天')
  expect(await wrong({ from: '2026-11-02', to: '2026-11-01' })).toBe('日期范围错误')
  expect(await wrong({ from: '2026-10-01', to: '2026-10-02' })).toBe('所选范围内没有销售')
  expect(await wrong({ deviceIds: [41] })).toBe('设备不属于该机构')
  expect(await wrong({ deviceIds: [999] })).toBe('设备不属于该机构')
  expect((await ask({ feeBp: 1001 })).status).toBe(400)
  for (const user of [sibling, 5]) expect((await ask({}, user)).status).toBe(404)
  expect((await ask({}, reader)).status).toBe(403)
  // figures of all machines are not for whoever sees some
  expect((await ask({}, clerk)).status).toBe(403)
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask()))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422, 422])
})

test('seen by the organisation and those above it, by nobody else', async () => {
  const { id } = (await ask()).body
  await run()
  for (const user of [sibling, 5, clerk]) {
    expect((await get(id, user)).status).toBe(404)
    expect((await world.send(user, 'GET', `${path}/${id}/export`)).status).toBe(404)
    expect((await world.send(user, 'GET', path)).body.total).toBe(0)
  }
  expect((await get(id, agent)).body.state).toBe('DONE')
})

test('stopped before and while it runs; done again when its worker died', async () => {
  const cancel = (id: number) => world.send(operator, 'POST', `${path}/${id}/cancel`, {})
  const first = (await ask()).body.id
  expect((await cancel(first)).body).toMatchObject({ state: 'CANCELLED', can: { cancel: false } })
  expect((await cancel(first)).body.message).toBe('模拟已结束')
  await run()
  expect((await get(first)).body).toMatchObject({ state: 'CANCELLED', result: null })
  const kind = simulationKind(world.app)
  const second = (await ask()).body.id
  const [piece] = await claim(world.app, kind, 1)
  if (!piece) throw new Error('nothing to do')
  expect((await get(second)).body.state).toBe('RUNNING')
  await cancel(second)
  await expect(kind.do(piece)).rejects.toThrow()
  expect((await get(second)).body).toMatchObject({ state: 'CANCELLED', result: null })
  const third = (await ask()).body.id
  await claim(world.app, kind, 1)
  now = new Date(now.getTime() + 61_000)
  await run()
  expect((await get(third)).body).toMatchObject({ state: 'DONE', done: 3000 })
})

test('what has sales is published after a simulation of exactly this, not older than a day', async () => {
  const version = async () => (await world.send(operator, 'GET', `${strategies}/1`)).body.version
  const publish = async () =>
    (await world.send(operator, 'POST', `${strategies}/1/publish`, { version: await version() }))
      .body
  const text = '请先完成模拟再发布'
  expect((await publish()).message).toBe(text)
  await ask()
  expect((await publish()).message).toBe(text)
  await run()
  const age = (interval: string) =>
    world.sql('update split_simulations set created_at = created_at + $1::interval', [interval])
  await age('-24 hours')
  expect((await publish()).message).toBe(text)
  await age('24 hours')
  // another content: one basis point elsewhere
  const draft = (await world.send(operator, 'GET', `${strategies}/1`)).body
  const parties = (share: number) => [
    { orgId: 3, ratioBp: 10_000 - share, isCollector: true },
    { orgId: 2, ratioBp: share },
  ]
  const put = async (share: number) =>
    world.send(operator, 'PUT', `${strategies}/1`, {
      ...{ version: await version(), name: draft.name, note: '改', parties: parties(share) },
    })
  await put(2001)
  expect((await publish()).message).toBe(text)
  await put(2000)
  expect(await publish()).toMatchObject({ state: 'PUBLISHED', draftNo: null })
})
