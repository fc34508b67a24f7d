import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { add, numberFrom } from '../../../../test/factories/things.ts'
import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'

const path = '/finance/device-splits'
const [operator, sibling, reader] = [3, 4, 6]
let now = new Date('2026-11-21T06:00:00Z')
let world: OrgTree
beforeAll(async () => {
  world = await openOrgTree({
    now,
    permissions: ['split:read', 'split:bind', 'split:release'],
    people: [{ user: reader, org: 3, scope: 'ORG_TREE', permissions: ['split:read'] }],
  })
  Object.assign(world.app, { now: () => now })
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
  for (const [id, org_id] of [
    [31, 3],
    [32, 3],
    [41, 4],
  ] as const)
    await add(world.sql, 'devices', { id, org_id })
  for (const [id, state] of [
    [1, 'PUBLISHED'],
    [2, 'PUBLISHED'],
    [3, 'DRAFT'],
  ] as const) {
    await add(world.sql, 'split_strategies', { id, org_id: 3, name: `策略${id}`, state })
    await add(world.sql, 'split_strategy_versions', {
      id,
      org_id: 3,
      strategy_id: id,
      version_no: 1,
    })
    for (const [party_no, party_org_id, kind, ratio_bp] of [
      [1, 3, 'OPERATOR', 8000],
      [2, 2, 'AGENT', 2000],
    ] as const)
      await add(world.sql, 'split_parties', {
        ...{ org_id: 3, version_id: id, party_no, party_org_id, kind, ratio_bp },
        ...{ name: kind, is_collector: party_no === 1 },
      })
    if (state === 'PUBLISHED') await publish(id, '2026-11-20T00:00:00Z')
  }
  await numberFrom(world.sql, 100, 'split_strategies', 'split_strategy_versions')
})
afterAll(() => world.close())
beforeEach(async () => {
  now = new Date('2026-11-21T06:00:00Z')
  await world.sql('delete from split_bindings')
})
const publish = (id: number, from: string) =>
  world.sql(
    `update split_strategy_versions set state = 'PUBLISHED', published_at = $2::timestamptz - interval '1 hour',
      valid_from = $2
      where id = $1`,
    [id, from],
  )
const bind = (ids: number[], strategyId: number, user = operator) =>
  world.send(user, 'POST', `${path}/bind`, { ids, strategyId })
const release = (ids: number[]) =>
  world.send(operator, 'POST', `${path}/release`, { ids, confirmed: true })
const counting = async (deviceId: number, lane = 0, product = 0) =>
  (
    await world.one<{ id: number | null }>(
      'select split_version_of((select org_id from devices where id = $1), $1, $2, $3, $4) as id',
      [deviceId, lane, product, now],
    )
  ).id
const undo = (actId: string, user = operator) => world.send(user, 'POST', `${path}/undo`, { actId })
const states = async () =>
  (
    await world.sql<{ device_id: number; strategy_id: number; released: boolean }>(
      `select device_id, strategy_id, released_at is not null as released from split_bindings
        order by id`,
    )
  ).map((row) => `${row.device_id}:${row.strategy_id}${row.released ? ' released' : ''}`)

test('many are bound, changed and released; whoever cannot be is told why', async () => {
  const trial = await world.send(operator, 'GET', `${path}/bind?ids=31,32&strategyId=1`)
  expect(trial.body).toMatchObject({
    done: 2,
    skipped: 0,
    results: [{ from: '', to: '策略1' }, {}],
  })
  expect(await states()).toEqual([])
  expect((await bind([31, 32], 1)).body).toMatchObject({ done: 2 })
  const again = await bind([31, 32], 1)
  expect(again.body.results.map((row: { reason: string }) => row.reason)).toEqual([
    '已绑定该策略',
    '已绑定该策略',
  ])
  const changed = await bind([31], 2)
  expect(changed.body.results).toMatchObject([{ ok: true, from: '策略1', to: '策略2' }])
  expect(await states()).toEqual(['31:1 released', '32:1', '31:2'])
  const unsaid = await world.send(operator, 'POST', `${path}/release`, { ids: [31, 32] })
  expect([unsaid.status, unsaid.body.errors]).toEqual([
    400,
    [{ field: 'confirmed', message: '释放后商城交易将暂停，请先确认' }],
  ])
  expect((await release([31, 32])).body).toMatchObject({ done: 2 })
  expect((await release([31])).body.results[0].reason).toBe('未绑定策略')
  const { list } = (await world.send(operator, 'GET', path)).body
  expect(list.map((row: { mallTrading: string }) => row.mallTrading)).toEqual(['PAUSED', 'PAUSED'])
  const logged = await world.one(
    `select before, after from operation_logs where action = 'deviceSplits.release' limit 1`,
  )
  expect(logged).toMatchObject({
    before: { tactics: expect.any(String) },
    after: { tactics: null },
  })
})

test('machines without a strategy stand on top, and filters find them', async () => {
  await bind([31], 1)
  const ids = async (query: string) =>
    (await world.send(operator, 'GET', `${path}?${query}`)).body.list.map(
      (row: { id: number }) => row.id,
    )
  expect(await ids('')).toEqual([32, 31])
  // of two without one the first is where buyers came and are refused now
  await release([31])
  expect(await ids('')).toEqual([32, 31])
  await world.sql(
    `insert into bill_days (org_id, device_id, grain, day, config_id, provider, pay_type)
      values (3, 31, 'DAY', '2026-10-23', 0, 'SIMULATOR', 'WECHAT')`,
  )
  expect(await ids('')).toEqual([31, 32])
  await world.sql('delete from bill_days')
  await bind([31], 1)
  expect(await ids('bound=true')).toEqual([31])
  expect(await ids('strategyId=1&mode=LEDGER')).toEqual([31])
  expect(await ids('mode=CHANNEL')).toEqual([])
  expect(await ids('mallTrading=PAUSED')).toEqual([32])
  const sample = await world.send(operator, 'GET', `${path}/sample?strategyId=1`)
  expect(sample.body).toEqual({
    amount: 1000,
    parties: [
      { name: 'OPERATOR', amount: 800 },
      { name: 'AGENT', amount: 200 },
    ],
  })
})

test('drafts, foreign machines and foreign strategies are refused whole', async () => {
  expect((await bind([31], 3)).body.errors[0]).toEqual({
    field: 'strategyId',
    message: '请选择已发布的策略',
  })
  expect((await bind([31, 41], 1)).status).toBe(404)
  expect((await bind([41], 1, sibling)).status).toBe(404)
  expect((await bind([31], 1, reader)).status).toBe(403)
  expect((await bind([], 1)).body.errors[0].message).toBe('请至少选择一台设备')
  // whoever sees both still gives no machine the strategy of another organisation
  const mixed = await bind([31, 41], 1, 2)
  expect(mixed.body.results.map((row: { reason: string }) => row.reason)).toEqual([
    '',
    '策略不属于该设备的机构',
  ])
  expect(await states()).toEqual(['31:1'])
})

test('two who bind at once leave one strategy', async () => {
  const answers = await Promise.all([bind([31, 32], 1), bind([32, 31], 2), bind([31], 1)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  const active = (await states()).filter((state) => !state.endsWith('released'))
  expect(active.map((state) => state.split(':')[0]).sort()).toEqual(['31', '32'])
})

test('what counts is the newest published version of its time', async () => {
  expect(await counting(31)).toBe(null)
  await bind([31], 1)
  expect(await counting(31)).toBe(1)
  await add(world.sql, 'split_strategy_versions', {
    ...{ id: 11, org_id: 3, strategy_id: 1, version_no: 2 },
  })
  await add(world.sql, 'split_parties', {
    ...{ org_id: 3, version_id: 11, party_no: 1, party_org_id: 3, kind: 'OPERATOR', name: '甲' },
    ...{ ratio_bp: 10_000, is_collector: true },
  })
  expect(await counting(31)).toBe(1)
  await publish(11, '2026-11-22T00:00:00Z')
  expect(await counting(31)).toBe(1)
  now = new Date('2026-11-22T00:00:00Z')
  expect(await counting(31)).toBe(11)
})

test('closer is what counts: lane, then category on some or all machines, then machine', async () => {
  await bind([31, 32], 1)
  await add(world.sql, 'product_categories', { id: 1, org_id: 3 })
  await add(world.sql, 'products', { id: 1, org_id: 3 })
  const scoped = async (id: number, scope: Record<string, number[]>) => {
    await add(world.sql, 'split_strategies', { id, org_id: 3, name: `范围${id}` })
    const of = { id, org_id: 3, strategy_id: id, version_no: 1 }
    await add(world.sql, 'split_strategy_versions', { ...of, ...scope })
    await add(world.sql, 'split_parties', {
      ...{ org_id: 3, version_id: id, party_no: 1, party_org_id: 3, kind: 'OPERATOR', name: '甲' },
      ...{ ratio_bp: 10_000, is_collector: true },
    })
    await publish(id, '2026-11-20T00:00:00Z')
    await world.sql(
      `update split_strategies set state = 'PUBLISHED', scoped = true where id = $1`,
      [id],
    )
  }
  await scoped(21, { category_ids: [1], device_ids: [32] })
  expect([await counting(31, 7, 1), await counting(32, 7, 1)]).toEqual([1, 21])
  expect(await counting(32, 7, 2)).toBe(1)
  await scoped(22, { lane_ids: [7] })
  expect([await counting(32, 7, 1), await counting(32, 8, 1)]).toEqual([22, 21])
  // not of the machine's organisation
  expect(await counting(41, 7, 1)).toBe(null)
  await world.sql(`update split_strategies set state = 'RETIRED' where id = 22`)
  expect(await counting(32, 7, 1)).toBe(21)
  await world.sql(`update split_strategies set state = 'RETIRED' where id = 21`)
})

test('a deed is taken back whole: by whoever did it, in time, where nothing changed since', async () => {
  const first = await bind([31], 1)
  const { actId } = (await bind([31, 32], 2)).body
  expect((await undo(actId, 1)).status).toBe(404)
  const back = await undo(actId)
  expect(back.body).toMatchObject({
    done: 2,
    results: [{ from: '策略2', to: '策略1' }, { to: '' }],
  })
  expect(await states()).toEqual(['31:1 released', '31:2 released', '32:2 released', '31:1'])
  expect((await undo(first.body.actId)).body.results[0]).toMatchObject({
    ok: false,
    reason: '之后又有变更，无法撤销',
  })
  // a release comes back, unless the strategy is gone or somebody bound the machine anew
  const released = (await release([31])).body.actId
  const [one, two] = await Promise.all([undo(released), undo(released)])
  expect([one.body.done, two.body.done].sort()).toEqual([0, 1])
  const again = (await release([31])).body.actId
  await world.sql(`update split_strategies set state = 'RETIRED' where id = 1`)
  expect((await undo(again)).body.results[0].reason).toBe('请选择已发布的策略')
  await world.sql(`update split_strategies set state = 'PUBLISHED' where id = 1`)
  await bind([31], 2)
  expect((await undo(again)).body.done).toBe(0)
  const late = (await release([31])).body.actId
  now = new Date('2026-11-21T06:10:00.001Z')
  expect((await undo(late)).body.message).toBe('已超过撤销时限')
  expect((await undo(crypto.randomUUID())).status).toBe(404)
  expect((await bind([31], 2)).body.actId).not.toBe(null)
  expect((await bind([31], 2)).body.actId).toBe(null)
  const logged = await world.one(
    `select before, after from operation_logs where action = 'deviceSplits.undo'
      and after is not null limit 1`,
  )
  expect(logged).toMatchObject({ after: { tactics: '策略1' } })
})

test('a machine that goes leaves the strategy of its owner', async () => {
  await bind([32], 1)
  await world.sql('update devices set org_id = 4 where id = 32')
  expect(await states()).toEqual(['32:1 released'])
})
