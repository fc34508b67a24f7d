import { afterAll, beforeAll, expect, test } from 'vitest'
import { add, addOrganisations } from '../../../../test/factories/things.ts'
import { type OrgTree, openOrgTree } from '../../../../test/support/orgTree.ts'
import { settingsChanged } from '../../settings/server/values.ts'

const codes = 'read create update delete publish'.split(' ').map((c) => `split-strategy:${c}`)
let world: OrgTree
/** Platform, agent and operator have their share of the operator's sales. */
const parties = [
  { orgId: 1, ratioBp: 500 },
  { orgId: 2, ratioBp: 1000 },
  { orgId: 3, ratioBp: 8500, isCollector: true },
]
const good = { name: '标准', parties }
const path = '/finance/split-strategies'
const [agent, operator, sibling, reader] = [2, 3, 4, 6]
beforeAll(async () => {
  world = await openOrgTree({
    now: new Date('2026-11-21T06:00:00Z'),
    permissions: codes,
    people: [{ user: reader, org: 3, scope: 'ORG_TREE', permissions: [] }],
  })
  await addOrganisations(world.sql, [8, 3, 'LANE_TENANT'], [9, 4, 'LANE_TENANT'])
})
afterAll(() => world.close())
const create = (change: Record<string, unknown> = {}, user = operator) =>
  world.send(user, 'POST', path, { ...good, ...change })
const act = (verb: string, id: number, version: number, user = operator) =>
  world.send(user, 'POST', `${path}/${id}/${verb}`, { id: undefined, version })
const put = (id: number, version: number, change: Record<string, unknown> = {}) =>
  world.send(operator, 'PUT', `${path}/${id}`, { ...good, ...change, version })
const first = ({ body }: { body: { errors: { field: string; message: string }[] } }) =>
  body.errors[0]

const two = (ratioBp: number) => [
  { orgId: 2, ratioBp },
  { orgId: 3, ratioBp: 10_000 - ratioBp, isCollector: true },
]
test.each([
  [{ name: ' ' }, 'name', '策略名称不能为空'],
  [{ name: 'x'.repeat(31) }, 'name', '不能超过30个字符'],
  [{ parties: [] }, 'parties', '至少保留一个策略'],
  [{ parties: Array(11).fill(parties[0]) }, 'parties', '最多10个分账方'],
  [{ parties: [{ orgId: 3, isCollector: true }] }, 'parties.0.ratioBp', '分账比例不能为空'],
  [{ parties: two(0) }, 'parties.0.ratioBp', '分账比例须在0.01到100.00之间'],
  [{ parties: two(0.5) }, 'parties.0.ratioBp'],
  [{ parties: [{ orgId: 3, ratioBp: 9999, isCollector: true }] }, 'parties', '比例合计必须为100%'],
  [{ parties: [{ orgId: 3, ratioBp: 10_000 }] }, 'parties', '请指定收款方'],
  [{ parties: [...two(5000), { orgId: 2, ratioBp: 1 }] }, 'parties.2.orgId', '分账方不能重复'],
  [{ timing: 'SECONDS', timingNumber: 59 }, 'timingNumber', '分账延迟不得少于60秒'],
  [{ validFrom: '2026-11-21T05:59:59Z' }, 'validFrom', '生效时间不能早于当前时间'],
  [{ configId: 999_999 }, 'configId', '请选择收款商户'],
  // beside the owner, below somebody else, no kind of party, nobody
  ...[4, 9, 6, 999_999].map((orgId) => [
    {
      parties: [
        { orgId, ratioBp: 1 },
        { orgId: 3, ratioBp: 9999, isCollector: true },
      ],
    },
    'parties.0.orgId',
    '该机构不能作为分账方',
  ]),
  [{ mode: 'CHANNEL', parties: two(3001) }, 'parties', '超过微信分账上限30%'],
  [{ balance: 1 }, 'balance'],
] as [Record<string, unknown>, string, string?][])('%o is refused', async (change, field, text) => {
  const { status, body } = await create(change)
  expect([[400, 422].includes(status), body.errors[0].field]).toEqual([true, field])
  if (text) expect(body.errors[0].message).toBe(text)
})

test('draft, publish, a new draft with its reason, publish again, compare', async () => {
  const tenant = { orgId: 8, ratioBp: 100 }
  const made = await create({
    parties: [tenant, ...parties.slice(1, 2), { ...parties[2], ratioBp: 8900 }],
  })
  expect(made.body).toMatchObject({
    ...{ state: 'DRAFT', versionNo: 1, draftNo: 1, version: 1, deviceCount: 0, merchantName: '' },
    can: { update: true, publish: true, retire: false, delete: true },
  })
  const { id } = made.body
  // while it is a draft it may change without a reason
  const changed = await put(id, 1, { feeMode: 'BEFORE' })
  expect(changed.body).toMatchObject({ version: 2, draftNo: 1, feeMode: 'BEFORE' })
  expect(changed.body.parties.map((party: { name: string; kind: string }) => party.kind)).toEqual([
    'PLATFORM',
    'AGENT',
    'OPERATOR',
  ])
  expect((await put(id, 1)).body.code).toBe(409001)
  const published = await act('publish', id, 2)
  expect(published.body).toMatchObject({
    ...{ state: 'PUBLISHED', draftNo: null, versionNo: 1, validFrom: '2026-11-21T06:00:00.000Z' },
    can: { publish: false, retire: true, delete: false },
  })
  expect((await act('publish', id, 3)).body.message).toBe('没有可发布的草稿')
  expect(first(await put(id, 3))).toEqual({ field: 'note', message: '请填写变更说明' })
  const draft = await put(id, 3, { note: '代理商多一成', parties: two(2000) })
  expect(draft.body).toMatchObject({ versionNo: 2, draftNo: 2, state: 'PUBLISHED', version: 4 })
  // what counts is shown in the list, what is edited in the form
  const { list } = (await world.send(operator, 'GET', `${path}?keyword=标准`)).body
  expect(
    list.map((row: { versionNo: number; draftNo: number }) => [row.versionNo, row.draftNo]),
  ).toEqual([[1, 2]])
  const later = '2026-12-01T00:00:00.000Z'
  await put(id, 4, { note: '代理商多一成', parties: two(2000), validFrom: later })
  expect((await act('publish', id, 5)).body).toMatchObject({ versionNo: 2, validFrom: later })
  const versions = (await world.send(operator, 'GET', `${path}/${id}/versions`)).body.list
  expect(
    versions.map((one: { versionNo: number; publishedBy: string }) => [
      one.versionNo,
      one.publishedBy,
    ]),
  ).toEqual(
    [
      [2, '用户903'],
      [1, '用户903'],
    ].map(([no]) => [no, versions[0].publishedBy]),
  )
  const { body: diff } = await world.send(
    operator,
    'GET',
    `${path}/${id}/versions/diff?from=1&to=2`,
  )
  expect(diff.changed).toEqual(['parties', 'feeMode', 'validFrom', 'note'])
  expect([diff.from.parties.length, diff.to.parties.length]).toEqual([3, 2])
})

test('what was published does not change, whoever writes', async () => {
  const { id } = (await create({ name: '不变' })).body
  await act('publish', id, 1)
  const [{ v }] = (await world.sql<{ v: number }>(
    'select id as v from split_strategy_versions where strategy_id = $1',
    [id],
  )) as [{ v: number }]
  for (const text of [
    `update split_strategy_versions set fee_mode = 'BEFORE' where id = ${v}`,
    `delete from split_strategy_versions where id = ${v}`,
    `update split_parties set ratio_bp = 1 where version_id = ${v}`,
    `delete from split_parties where version_id = ${v}`,
    `insert into split_parties values (3, ${v}, 9, 8, 'LANE_TENANT', '甲', 1, false)`,
  ])
    await expect(world.sql(text)).rejects.toThrow('does not change')
  // nor is anything published whose shares are not the whole
  const { id: other } = (await create({ name: '不足' })).body
  await world.sql(
    `delete from split_parties where party_no = 1 and version_id =
      (select id from split_strategy_versions where strategy_id = $1)`,
    [other],
  )
  await expect(
    world.sql(
      `update split_strategy_versions set state = 'PUBLISHED', published_at = now(),
        valid_from = now() where strategy_id = $1`,
      [other],
    ),
  ).rejects.toThrow('the whole')
})

test('a name is taken once; two that publish at once make one version', async () => {
  const { id } = (await create({ name: '同名' })).body
  expect(first(await create({ name: '同名' }))).toEqual({
    field: 'name',
    message: '策略名称已存在',
  })
  const answers = await Promise.all([1, 2, 3].map(() => act('publish', id, 1)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test('a copy is a draft of its own', async () => {
  const { id } = (await create({ name: `长${'名'.repeat(29)}` })).body
  const copies = [await act('copy', id, 1), await act('copy', id, 1)]
  // the version has no place in it
  expect(copies.map(({ status }) => status)).toEqual([400, 400])
  const copy = () => world.send(operator, 'POST', `${path}/${id}/copy`, {})
  const [one, two] = [(await copy()).body, (await copy()).body]
  expect([one.name, two.name]).toEqual([`长${'名'.repeat(26)} 副本`, `长${'名'.repeat(25)} 副本2`])
  expect(one).toMatchObject({ state: 'DRAFT', versionNo: 1, draftNo: 1, note: '' })
})

test('the last strategy stays; one that machines use is neither retired nor deleted', async () => {
  const own = (name: string, user = 5) =>
    create({ name, parties: [{ orgId: 5, ratioBp: 10_000, isCollector: true }] }, user)
  const gone = (id: number, version: number) =>
    world.send(5, 'DELETE', `${path}/${id}?version=${version}`)
  const [a, b] = [(await own('甲')).body.id, (await own('乙')).body.id]
  expect((await act('publish', a, 1, 5)).status).toBe(200)
  expect((await gone(a, 2)).body.message).toBe('策略已被使用，不能删除')
  await add(world.sql, 'device_types', { id: 1, org_id: 1 }, { once: true })
  await add(world.sql, 'devices', { id: 51, org_id: 5 })
  expect((await act('retire', a, 2, 5)).body.message).toBe('至少保留一个策略')
  await act('publish', b, 1, 5)
  await add(world.sql, 'split_bindings', { org_id: 5, device_id: 51, strategy_id: a })
  expect((await act('retire', a, 2, 5)).body.message).toBe(
    '策略正在被 1 台设备使用，请先更换或释放',
  )
  await world.sql('update split_bindings set released_at = now()')
  expect((await act('retire', a, 2, 5)).body).toMatchObject({ state: 'RETIRED', version: 3 })
  expect((await gone(a, 3)).body.message).toBe('策略已被使用，不能删除')
  const c = (await own('丙')).body.id
  expect((await gone(c, 1)).body).toEqual({ ok: true })
  await world.sql('delete from split_bindings')
  // of two that go at once one stays
  await world.sql(`update split_strategies set state = 'RETIRED' where id = $1`, [b])
  const both = await Promise.all([gone(a, 3), gone(b, 2)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
})

test('lanes and goods have one strategy each; a copy has none of them', async () => {
  await add(world.sql, 'device_types', { id: 1, org_id: 1 }, { once: true })
  for (const [id, org_id] of [
    [61, 3],
    [62, 3],
    [63, 4],
  ] as const) {
    await add(world.sql, 'devices', { id, org_id })
    await add(world.sql, 'lane_floors', { id, org_id, device_id: id })
    await add(world.sql, 'lanes', { id, org_id, device_id: id, floor_id: id, road_index: 1 })
  }
  await add(world.sql, 'product_categories', { id: 81, org_id: 1 })
  await add(world.sql, 'product_categories', { id: 82, org_id: 4 })
  for (const [scope, field] of [
    [{ laneIds: [61, 63] }, 'laneIds'],
    [{ categoryIds: [82] }, 'categoryIds'],
    [{ categoryIds: [81], deviceIds: [63] }, 'deviceIds'],
  ] as const)
    expect(first(await create(scope))).toEqual({ field, message: '适用范围不属于该机构' })
  expect(first(await create({ deviceIds: [61] }))).toEqual({
    field: 'categoryIds',
    message: '请选择品类',
  })
  const scope = { laneIds: [61], categoryIds: [81], deviceIds: [61] }
  const { id } = (await create({ name: '有范围', ...scope })).body
  const twin = await create({ name: '也要', laneIds: [61] })
  // a draft is for nothing yet; of two that are published at once one is
  const both = await Promise.all([act('publish', id, 1), act('publish', twin.body.id, 1)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
  const late = both.find(({ status }) => status === 422)?.body.errors[0]
  expect(late.field).toBe('laneIds')
  expect(late.message).toMatch(/^与策略“(有范围|也要)”的适用范围重叠$/)
  await world.sql(`delete from split_strategies where id = $1 or id = $2`, [id, twin.body.id])
  const made = (await create({ name: '范围', ...scope })).body
  expect(made).toMatchObject(scope)
  await act('publish', made.id, 1)
  const overlapping = (change: Record<string, unknown>) => create({ name: '重', ...change })
  for (const [change, field] of [
    [{ laneIds: [62, 61] }, 'laneIds'],
    [{ categoryIds: [81] }, 'categoryIds'],
    [{ categoryIds: [81], deviceIds: [62, 61] }, 'categoryIds'],
  ] as const)
    expect(first(await overlapping(change))).toEqual({
      field,
      message: '与策略“范围”的适用范围重叠',
    })
  expect((await overlapping({ categoryIds: [81], deviceIds: [62] })).status).toBe(200)
  const copied = (await world.send(operator, 'POST', `${path}/${made.id}/copy`, {})).body
  expect(copied).toMatchObject({ laneIds: [], categoryIds: [], deviceIds: [] })
  // what it is for is its own while it is edited
  expect((await put(made.id, 2, { ...scope, name: '范围', note: '改' })).status).toBe(200)
  expect((await act('retire', made.id, 3)).status).toBe(200)
  expect((await create({ name: '接手', laneIds: [61] })).status).toBe(200)
})

test('what those above ask at least; a channel pays whom it knows', async () => {
  const { id } = (await create({ name: '下限' })).body
  const least = (org: number, key: string, n: number) =>
    world.sql(
      `insert into settings (org_id, key, value) values ($1, $2, $3::jsonb)
        on conflict (org_id, key) do update set value = excluded.value`,
      [org, key, n],
    )
  const publish = async (version = 1) => {
    settingsChanged(world.app)
    return act('publish', id, version)
  }
  await least(2, 'funds.minShareAgent', 1001)
  // what an operator says to himself does not count
  await least(3, 'funds.minShareAgent', 0)
  expect(first(await publish())).toEqual({
    field: 'parties',
    message: '低于上级规定的最低分成10.01%',
  })
  await least(2, 'funds.minShareAgent', 1000)
  await least(1, 'funds.minSharePlatform', 501)
  expect(first(await publish())?.message).toBe('低于上级规定的最低分成5.01%')
  await least(1, 'funds.minSharePlatform', 0)
  await put(id, 1, { name: '下限', mode: 'CHANNEL' })
  expect((await publish(2)).body.message).toBe('接收方未登记')
})

test('the merchant of an organisation above collects for it', async () => {
  const config = {
    ...{
      org_id: 2,
      provider: 'WECHAT' as const,
      merchant_name: '总商户',
      mch_id: '1',
      app_id: 'a',
    },
    ...{ cert_serial: 'AA', secrets: Buffer.from('x'), state: 'ACTIVE' as const, fee_bp: 38 },
    verified_at: new Date('2026-11-20T06:00:00Z'),
  }
  const configId = await add(world.sql, 'payment_configs', config)
  expect(first(await create({ configId }))?.message).toBe('收款方须为收款商户所属机构')
  const collects = [
    { orgId: 2, ratioBp: 9000, isCollector: true },
    { orgId: 3, ratioBp: 1000 },
  ]
  const made = await create({ name: '代收', configId, parties: collects })
  expect(made.body).toMatchObject({ configId, merchantName: '总商户' })
  const { body } = await world.send(operator, 'GET', `${path}/choices?orgId=3`)
  expect(body.parties.map(({ orgId }: { orgId: number }) => orgId)).toEqual([1, 2, 3, 8])
  expect(body.merchants).toEqual([
    { id: configId, orgId: 2, provider: 'WECHAT', name: '总商户', feeBp: 38, capBp: 3000 },
  ])
  const plain = { org_id: 3, merchant_name: '自有商户', mch_id: '', app_id: '' }
  for (const provider of ['SIMULATOR', 'AGGREGATOR'] as const)
    await add(world.sql, 'payment_configs', { ...config, ...plain, provider, system_id: provider })
  const all = await world.send(operator, 'GET', `${path}/choices?orgId=3`)
  expect(all.status).toBe(200)
  expect(all.body.merchants.map((one: { provider: string }) => one.provider).sort()).toEqual([
    ...['AGGREGATOR', 'SIMULATOR', 'WECHAT'],
  ])
  await world.sql(`delete from payment_configs where merchant_name = '自有商户'`)
  const preview = await world.send(operator, 'POST', `${path}/preview`, {
    ...{ orgId: 3, amount: 1000, configId, mode: 'LEDGER', feeMode: 'BEFORE' },
    parties: collects,
  })
  expect(preview.body).toMatchObject({ fee: 4, base: 996, sales: [{ gives: [896, 100] }, {}, {}] })
  // and stays while it does
  const used = async () =>
    (await world.sql<{ used: boolean }>('select payment_config_used($1) as used', [configId]))[0]
      ?.used
  expect(await used()).toBe(false)
  const other = await create({ name: '代收二', configId, parties: collects })
  expect((await act('publish', other.body.id, 1)).status).toBe(200)
  expect(await used()).toBe(true)
  await world.sql(`update payment_configs set state = 'DISABLED'`)
  expect(first(await act('publish', made.body.id, 1))?.message).toBe('请选择收款商户')
})

test('nobody sees or changes those of others', async () => {
  const { id, version } = (await create({ name: '自家' })).body
  for (const user of [sibling, 5]) {
    expect((await world.send(user, 'GET', `${path}/${id}`)).status).toBe(404)
    expect((await world.send(user, 'GET', `${path}/${id}/versions`)).status).toBe(404)
    expect((await act('publish', id, version, user)).status).toBe(404)
    expect((await world.send(user, 'GET', `${path}/choices?orgId=3`)).status).toBe(404)
    expect((await create({ orgId: 3 }, user)).status).toBe(404)
  }
  expect((await world.send(agent, 'GET', `${path}/${id}`)).body.name).toBe('自家')
  expect((await world.send(reader, 'GET', path)).status).toBe(403)
})

test('referrers are parties where the ledger settles, until they are disabled', async () => {
  const made = await world.sql<{
    id: number
  }>(`insert into referrers (org_id, referrer_name, mobile,
      mobile_hash, mobile_shown, receive_kind)
    select org, '荐' || org, '\\x00', decode(md5(org::text), 'hex'), '139****0000', 'LEDGER'
    from unnest(array[2, 3, 4]) org returning id::int`)
  const [above, own, beside] = made.map(({ id }) => id)
  const withOne = (referrerId: unknown, rest = {}) => ({
    parties: [
      { referrerId, ratioBp: 250 },
      // what he above asks at least
      { orgId: 2, ratioBp: 1000 },
      { orgId: 3, ratioBp: 8750, isCollector: true },
    ],
    ...rest,
  })
  const wrong = { field: 'parties.0.orgId', message: '该机构不能作为分账方' }
  for (const id of [above, beside, 999_999])
    expect(first(await create({ name: '荐', ...withOne(id) }))).toEqual(wrong)
  const both = { orgId: 2, referrerId: own, ratioBp: 250 }
  const [, , owner] = withOne(own).parties
  expect(first(await create({ name: '荐', parties: [both, owner] }))).toEqual({
    field: 'parties.0.orgId',
    message: '请选择分账方',
  })
  expect(first(await create({ name: '荐', ...withOne(own, { mode: 'CHANNEL' }) }))).toEqual({
    field: 'parties.0.orgId',
    message: '推荐人未登记分账接收方，仅支持账本分账',
  })
  const collects = [
    { referrerId: own, ratioBp: 250, isCollector: true },
    { orgId: 3, ratioBp: 9750 },
  ]
  expect(first(await create({ name: '荐', parties: collects }))?.message).toBe('推荐人不能是收款方')
  const { body } = await create({ name: '荐', ...withOne(own) })
  expect(body.parties[0]).toEqual({
    ...{ orgId: null, referrerId: own, name: '荐3', kind: 'REFERRER', ratioBp: 250 },
    isCollector: false,
  })
  // who is above gives a share to his own, and the operator goes on with it
  const agents = await create({ name: '荐二', orgId: 3, ...withOne(above) }, agent)
  expect(agents.status).toBe(200)
  expect((await act('publish', agents.body.id, 1)).body).toMatchObject({ state: 'PUBLISHED' })
  expect((await act('publish', body.id, 1)).body.ended).toEqual([])
  await world.sql(`update referrers set status = 'DISABLED' where id = $1`, [own])
  const { list } = (await world.send(operator, 'GET', `${path}?keyword=荐`)).body
  expect(list.map((row: { name: string; ended: string[] }) => [row.name, row.ended])).toEqual(
    expect.arrayContaining([
      ['荐', ['荐3']],
      ['荐二', []],
    ]),
  )
  const draft = await put(body.id, 2, { name: '荐', ...withOne(own), note: '再' })
  expect(first(draft)).toEqual({
    field: 'parties.0.orgId',
    message: '推荐人“荐3”已停用或已过有效期',
  })
})
