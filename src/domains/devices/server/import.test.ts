import { afterAll, beforeAll, expect, test } from 'vitest'
import { add } from '../../../../test/factories/things.ts'
import { openWorld, type World } from '../../users/server/testWorld.ts'

let world: World
let agent = ''
beforeAll(async () => {
  world = await openWorld()
  await add(world.sql, 'device_types', { id: 1, org_id: 1 })
  await add(world.sql, 'device_types', {
    id: 2,
    org_id: 1,
    name: '售药机',
    pattern: 'lift',
    kind: 'DRUG',
  })
  await add(world.sql, 'device_types', { id: 3, org_id: 5, name: '外机', pattern: 'lift' })
  await world.addUser('agent', 2, 'ROLE_RTU_AGENT')
  await world.addUser('fixer', 3, 'ROLE_RTU_REPAIRER')
  await world.addUser('seller', 4, 'ROLE_RTU_SP')
  await world.sql(
    `insert into role_permissions select id, 'main-board:create' from roles
      where code = 'ROLE_RTU_AGENT'`,
  )
  agent = await world.login('agent')
})
afterAll(() => world.close())

async function send(kind: string, lines: readonly string[], { dry = false, by = agent } = {}) {
  return world.sendFile(by, `/imports/${kind}${dry ? '?dryRun=true' : ''}`, lines.join('\r\n'))
}
const head = '机器编号,名称,类型,主板编号,物联卡号,省,市,区,地址,所属用户'
const device = (number: string, change: Partial<Record<number, string>> = {}) =>
  [number, '新机', '弹簧机', '', '', '广东', '深圳市', '南山', '科苑路15号', 'ORG000003']
    .map((cell, i) => change[i] ?? cell)
    .join(',')
const devices = () =>
  world.sql<{ rtu_number: string; org_id: number; county: string; board_no: string | null }>(
    'select * from devices order by rtu_number',
  )

test('every fault of a device file is named, nothing is kept', async () => {
  const { status, body } = await send('devices', [
    head,
    device('IM000001'),
    device('IM000002', { 2: '外机' }),
    device('IM000003', { 2: '售药机' }),
    device('IM000004', { 6: '广州市' }),
    device('IM000005', { 9: 'ORG000005' }),
    device('IM000006', { 9: 'ORG000006' }),
    device('IM000007', { 3: 'BD-IMPORT-1', 4: '8986042201000000301' }),
    device('IM000008', { 3: 'BD-IMPORT-1' }),
    device('IM000009', { 4: '8986042201000000301' }),
  ])
  expect(status).toBe(400)
  expect(body.errors).toEqual([
    { field: 'rows.3.type', message: '设备类型不存在' },
    { field: 'rows.4.type', message: '售药机须填写许可证，请单台创建' },
    { field: 'rows.5.county', message: '地区不存在' },
    { field: 'rows.6.owner', message: '机构不存在' },
    { field: 'rows.7.owner', message: '该机构不能拥有设备' },
    { field: 'rows.9.boardNo', message: '该主板已绑定其他设备' },
    { field: 'rows.10.card', message: '该物联卡已绑定其他设备' },
  ])
  expect(await devices()).toEqual([])
  const shape = await send('devices', [
    head,
    device('IM1', { 2: '没有', 6: '广州市', 9: 'ORG000099' }),
    device('IM000002', { 1: '' }),
    device('IM000002', { 4: '1.23E+15' }),
  ])
  expect(shape.body.errors.map((error: { field: string }) => error.field)).toEqual([
    'rows.2.rtuNumber',
    'rows.2.type',
    'rows.2.county',
    'rows.2.owner',
    'rows.3.nickname',
    'rows.4.card',
  ])
})
test('devices come with their boards and a code for each', async () => {
  const lines = [
    head,
    device('IM000001', { 3: 'BD-IMPORT-1', 4: '8986042201000000301' }),
    device('IM000002', { 9: '' }),
  ]
  expect((await send('devices', lines, { dry: true })).body).toMatchObject({ total: 2, failed: 0 })
  expect(await devices()).toEqual([])
  const { body } = await send('devices', lines)
  expect(body.once.text.split('\r\n').map((line: string) => line.split(',')[0])).toEqual([
    '\uFEFF机器编号 Machine number',
    'IM000001',
    'IM000002',
    '',
  ])
  expect(
    (await devices()).map((row) => [row.rtu_number, row.org_id, row.county, row.board_no]),
  ).toEqual([
    ['IM000001', 3, '440305', 'BD-IMPORT-1'],
    ['IM000002', 2, '440305', null],
  ])
  expect(await world.sql(`select org_id, iccid from main_boards`)).toEqual([
    { org_id: 3, iccid: '8986042201000000301' },
  ])
  const code = body.once.text.split('\r\n')[2].split(',')[1]
  const activated = await world.ask(undefined, 'POST', '/activate', {
    code,
    boardNo: 'BD-IMPORT-2',
  })
  expect(activated.body.rtuNumber).toBe('IM000002')
  expect(
    (await send('devices', [head, device('IM000003')], { by: await world.login('fixer') })).status,
  ).toBe(403)
})
test('boards with their SIM cards', async () => {
  const boards = '主板编号,型号,所属机构,物联卡号,运营商,套餐流量MB,卡到期'
  const wrong = await send('main-boards', [
    boards,
    'BD-FILE-1,M3,ORG000003,,中国移动,500,2027-01-31',
    'BD-IMPORT-1,M3,,,,,',
    'BD-FILE-2,M3,ORG000005,,,,',
    'BD-FILE-3,M3,,,铁通,,',
  ])
  expect(wrong.body.errors).toEqual([
    { field: 'rows.3.boardNo', message: '主板编号已存在' },
    { field: 'rows.4.org', message: '机构不存在' },
    { field: 'rows.5.carrier', message: '运营商不正确' },
  ])
  const boss = await world.login('boss')
  expect(
    (
      await send(
        'main-boards',
        [boards, 'BD-FILE-1,M3,ORG000003,8986042201000000401,CMCC,500,2027-01-31'],
        { by: boss },
      )
    ).status,
  ).toBe(200)
  expect(
    await world.sql(
      `select org_id, iccid, carrier, plan_mb, sim_expires_on::text as until from main_boards
        where board_no = 'BD-FILE-1'`,
    ),
  ).toEqual([
    { org_id: 3, iccid: '8986042201000000401', carrier: 'CMCC', plan_mb: 500, until: '2027-01-31' },
  ])
})
test('assignments by number and user', async () => {
  const lines = '机器编号,用户,分配类型'
  const wrong = await send('device-assignments', [
    lines,
    'IM000001,fixer,',
    'IM000001,seller,补货员',
    'IM000009,fixer,',
    'IM000001,other,',
    'IM000002,fixer,',
    'IM000001,keeper,店长',
  ])
  expect(wrong.body.errors).toEqual([
    { field: 'rows.3.username', message: 'seller 不是该类人员' },
    { field: 'rows.4.rtuNumber', message: '设备不存在或无权查看' },
    { field: 'rows.5.username', message: '用户不存在或无权查看' },
    { field: 'rows.6.username', message: 'fixer 不在该设备所属机构或其上级' },
    { field: 'rows.7.kind', message: '分配类型不正确' },
  ])
  expect(await world.sql('select 1 from device_assignments')).toEqual([])
  expect(
    (
      await send('device-assignments', [
        lines,
        'IM000001,fixer,',
        'IM000001,keeper,补货员',
        'im000002,seller,',
      ])
    ).status,
  ).toBe(200)
  expect((await devices()).map((row) => row.org_id)).toEqual([3, 4])
  expect(
    await world.sql(
      'select u.username, a.kind from device_assignments a join users u on u.id = a.user_id where to_at is null order by 1',
    ),
  ).toEqual([
    { username: 'fixer', kind: 'REPAIRER' },
    { username: 'keeper', kind: 'REPLENISHER' },
  ])
})
test('every row of a file stands in the log of whose its thing is', async () => {
  const rows = await world.sql<{ action: string; org_id: number; target_name: string }>(
    `select action, org_id, target_name from operation_logs
      where result = 'SUCCESS' and action not like 'session.%' and action <> 'jobs.import'
      and request_id in (select request_id from operation_logs where action = 'jobs.import')
      order by id`,
  )
  expect(rows.map((row) => [row.action, row.org_id, row.target_name])).toEqual([
    ['devices.create', 3, 'IM000001'],
    ['devices.create', 2, 'IM000002'],
    ['boards.create', 3, 'BD-FILE-1'],
    ['distribution.assign', 3, 'IM000001'],
    ['distribution.assign', 3, 'IM000001'],
    ['distribution.transfer', 2, 'IM000002'],
    ['distribution.transfer', 4, 'IM000002'],
  ])
})
