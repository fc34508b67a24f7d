import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bySystem } from '../../../server/run.ts'
import { addDevice, now, people, type World } from '../../devices/server/testWorld.ts'
import { secretHash } from '../../machines/server/secret.ts'
import { hasOpenOrder } from './binding.ts'
import { openBoardWorld } from './testWorld.ts'

let world: World
const shutOut: string[] = []
beforeAll(async () => {
  world = await openBoardWorld()
  for (const [id, org] of [
    [1, 3],
    [2, 3],
    [3, 4],
    [4, 5],
  ] as const)
    await addDevice(world, id, org)
  await world.rows(
    `insert into device_assignments (org_id, device_id, user_id, kind)
      values (3, 1, 907, 'REPAIRER')`,
  )
  world.app.live.subscribe((topics) =>
    shutOut.push(...topics.filter((topic) => topic === 'identity')),
  )
})
afterAll(() => world.close())
beforeEach(() => shutOut.splice(0))

const fine = (boardNo: string, change: Record<string, unknown> = {}) => ({
  boardNo,
  model: 'HD-M3',
  ...change,
})
const create = (user: number, boardNo: string, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/main-boards', fine(boardNo, change))
const post = (user: number, id: number, verb: string, body: unknown) =>
  world.send(user, 'POST', `/main-boards/${id}/${verb}`, body)
const boardOf = async (boardNo: string) =>
  world.one<{
    id: number
    version: number
    org_id: number
    iccid: string | null
    disabled_at: Date | null
  }>('select * from main_boards where board_no = $1', [boardNo])
const device = (id: number) =>
  world.one<{ board_no: string | null; card: string | null; secret_hash: Buffer; version: number }>(
    'select * from devices where id = $1',
    [id],
  )
const told = async () => expect.poll(() => shutOut).toContain('identity')
const free = async (user: number, boardNo: string, change: Record<string, unknown> = {}) =>
  (await create(user, boardNo, change)).body as { id: number; version: number }

describe('rows', () => {
  test('every machine had its board registered, for its owner', async () =>
    expect((await boardOf('BOARD-3')).org_id).toBe(4))
  test.each([
    [people.platform, ['BOARD-1', 'BOARD-2', 'BOARD-3', 'BOARD-4']],
    [people.agent, ['BOARD-1', 'BOARD-2', 'BOARD-3']],
    [people.operator, ['BOARD-1', 'BOARD-2']],
    [people.stranger, ['BOARD-4']],
    [people.repairer, ['BOARD-1']],
  ])('user %i sees %o', async (user, numbers) => {
    const { body } = await world.send(user, 'GET', '/main-boards?sort=boardNo&boardNo=BOARD-')
    expect(body.list.map((row: { boardNo: string }) => row.boardNo)).toEqual(numbers)
  })
  test.each([
    ['deviceId=1', ['BOARD-1']],
    ['status=BOUND&boardNo=board-2', ['BOARD-2']],
    ['status=DISABLED', []],
    ['iccid=898604', []],
    ['expiring=true', []],
    ['orgId=4', []],
  ])('%s', async (query, numbers) => {
    const { body } = await world.send(people.operator, 'GET', `/main-boards?${query}`)
    expect(body.list.map((row: { boardNo: string }) => row.boardNo)).toEqual(numbers)
  })
  test('no access without the code, no foreign row', async () => {
    expect((await world.send(people.reader, 'GET', '/main-boards')).status).toBe(403)
    const { id } = await boardOf('BOARD-4')
    expect((await post(people.operator, id, 'disable', { version: 1 })).status).toBe(404)
    expect(
      (await post(people.repairer, (await boardOf('BOARD-2')).id, 'rotate-secret', { version: 1 }))
        .status,
    ).toBe(404)
  })
})

describe('create and edit', () => {
  test.each([
    [{ boardNo: '' }, 'boardNo', '请输入主板编号'],
    [{ boardNo: 'AB12' }, 'boardNo', '主板编号须为6-40位字母、数字或 -'],
    [{ iccid: '8986' }, 'iccid', '物联卡号格式不正确'],
    [{ planMb: 1.5 }, 'planMb', '流量须为整数 MB'],
    [{ planMb: 0 }, 'planMb'],
    [{ simExpiresOn: '2026-02-30' }, 'simExpiresOn'],
    [{ protocol: 'coap' }, 'protocol'],
    [{ tenantId: 3 }, 'tenantId'],
  ] as [Record<string, unknown>, string, string?][])(
    '%o is 400',
    async (change, field, message) => {
      const { status, body } = await create(people.platform, 'BD-CREATE-0', change)
      expect([status, body.errors[0].field]).toEqual([400, field])
      if (message) expect(body.errors[0].message).toBe(message)
    },
  )
  test('unique over all organisations, without naming the other', async () => {
    expect(
      (await create(people.operator, 'BD-CREATE-1', { iccid: '8986042201000000001' })).body,
    ).toMatchObject({ status: 'UNBOUND', orgId: 3, version: 1 })
    const again = await create(people.stranger, 'BD-CREATE-1')
    expect([again.status, again.body.errors]).toEqual([
      409,
      [{ field: 'boardNo', message: '主板编号已存在' }],
    ])
    const card = await create(people.stranger, 'BD-CREATE-2', { iccid: '8986042201000000001' })
    expect([card.status, card.body.errors[0].field]).toEqual([409, 'iccid'])
    expect((await create(people.operator, 'BD-CREATE-3', { orgId: 5 })).status).toBe(404)
    expect((await create(people.platform, 'BD-CREATE-3', { orgId: 6 })).body.message).toBe(
      '该机构不能拥有主板',
    )
  })
  test('the SIM of a bound board is the SIM of its machine; expiry is found', async () => {
    const board = await boardOf('BOARD-1')
    const put = (version: number, change: Record<string, unknown>) =>
      world.send(people.operator, 'PUT', `/main-boards/${board.id}`, {
        version,
        iccid: '8986042201000000100',
        simExpiresOn: '2026-12-01',
        usedMb: 12,
        ...change,
      })
    expect((await put(board.version, {})).body).toMatchObject({
      iccid: '8986042201000000100',
      simState: 'SOON',
      usedMb: 12,
      version: board.version + 1,
    })
    expect((await device(1)).card).toBe('8986042201000000100')
    expect((await put(board.version, {})).body.code).toBe(409001)
    const found = await world.send(people.operator, 'GET', '/main-boards?expiring=true')
    expect(found.body.list.map((row: { boardNo: string }) => row.boardNo)).toEqual(['BOARD-1'])
    expect((await world.send(people.operator, 'GET', '/main-boards/counts')).body).toMatchObject({
      bound: 2,
      expiring: 1,
    })
  })
})

describe('binding', () => {
  test('unbind, bind, and who is out at once', async () => {
    const before = await device(2)
    const board = await boardOf('BOARD-2')
    const unbound = await post(people.operator, board.id, 'unbind', { version: board.version })
    expect(unbound.body).toMatchObject({ status: 'UNBOUND', deviceId: null, rtuNumber: '' })
    const alone = await device(2)
    expect([alone.board_no, alone.card, alone.secret_hash.equals(before.secret_hash)]).toEqual([
      null,
      null,
      false,
    ])
    await told()
    expect(
      (await post(people.operator, board.id, 'unbind', { version: board.version + 1 })).body
        .message,
    ).toBe('该主板未绑定设备')

    const fresh = await free(people.operator, 'BD-BIND-1')
    const bound = await post(people.operator, fresh.id, 'bind', { version: 1, deviceId: 2 })
    expect(bound.body).toMatchObject({ boardNo: 'BD-BIND-1', rtuNumber: 'HD000002' })
    expect((await device(2)).secret_hash.equals(secretHash(bound.body.secret))).toBe(true)
    expect(
      (await post(people.operator, fresh.id, 'bind', { version: 1, deviceId: 2 })).body.code,
    ).toBe(409001)
    const second = await free(people.operator, 'BD-BIND-2')
    expect(
      (await post(people.operator, second.id, 'bind', { version: 1, deviceId: 2 })).body.message,
    ).toBe('该设备已有主板，请更换主板')
    expect(
      (await post(people.operator, second.id, 'bind', { version: 1, deviceId: 3 })).status,
    ).toBe(404)
    expect(
      (await post(people.operator, second.id, 'bind', { version: 1 })).body.errors[0].message,
    ).toBe('请至少选择一台设备')
    const notes = await world.rows<{ kind: string }>(
      `select kind from device_events where device_id = 2 order by id`,
    )
    expect(notes.map((note) => note.kind)).toEqual(['BOARD_UNBOUND', 'BOARD_BOUND'])
  })
  test('a board with an open order stays', async () => {
    await world.rows(
      `insert into orders (org_id, created_at, id, order_num, device_id, rtu_number, device_name,
        channel, order_type, pay_type, detail, img, pieces, total_amount, payable_amount, expire_at)
       values (3, $1, 77, '20261121000000000077', 1, 'HD000001', 'x', 'MACHINE', 'SCAN', 'WECHAT',
         'x', 'x', 1, 100, 100, $1)`,
      [now],
    )
    await world.rows(
      `insert into order_units (org_id, created_at, id, order_id, order_num, unit_no, device_id,
        kind, product_id, product_name, model, drug_class, img, list_price, discount, paid, cost,
        vend_state)
       values (3, $1, 77, 77, '20261121000000000077', 1, 1, 'OFF_LANE', 1, 'x', 'x', 'NONE', 'x',
         100, 0, 100, 50, 'SENT')`,
      [now],
    )
    const board = await boardOf('BOARD-1')
    const refused = await post(people.operator, board.id, 'unbind', { version: board.version })
    expect([refused.status, refused.body.message]).toEqual([422, '设备有未完成的订单，不能解绑'])
    expect((await device(1)).board_no).toBe('BOARD-1')
    // nobody paid: the piece was let go
    await world.rows(`update order_units set vend_state = 'WAIT', hold = 'RELEASED' where id = 77`)
    expect(await bySystem(world.app, (ctx) => hasOpenOrder(ctx, 1))).toBe(false)
    await world.rows('delete from order_units where id = 77')
    await world.rows('delete from orders where id = 77')
  })
  test('replacing disables the old board and takes its SIM along', async () => {
    const old = await boardOf('BOARD-1')
    const next = await free(people.operator, 'BD-NEXT-1')
    const swapped = await post(people.operator, old.id, 'replace', {
      version: old.version,
      newBoardId: next.id,
    })
    expect(swapped.body).toMatchObject({ boardNo: 'BD-NEXT-1', rtuNumber: 'HD000001' })
    expect([
      (await boardOf('BOARD-1')).iccid,
      (await boardOf('BD-NEXT-1')).iccid,
      (await device(1)).card,
    ]).toEqual([null, '8986042201000000100', '8986042201000000100'])
    expect((await boardOf('BOARD-1')).disabled_at).not.toBeNull()
    await told()
    const again = await free(people.operator, 'BD-NEXT-2', { iccid: '8986042201000000200' })
    const now2 = await boardOf('BD-NEXT-1')
    expect(
      (
        await post(people.operator, now2.id, 'replace', {
          version: now2.version,
          newBoardId: old.id,
        })
      ).body.message,
    ).toBe('该主板已停用，请先启用')
    await post(people.operator, now2.id, 'replace', { version: now2.version, newBoardId: again.id })
    expect([(await device(1)).card, (await boardOf('BD-NEXT-1')).iccid]).toEqual([
      '8986042201000000200',
      '8986042201000000100',
    ])
  })
  test('boards go down the tree, never up or across', async () => {
    const ofAgent = await free(people.agent, 'BD-DOWN-1')
    await world.rows('update devices set board_no = null where id = 3')
    expect((await post(people.agent, ofAgent.id, 'bind', { version: 1, deviceId: 3 })).status).toBe(
      200,
    )
    expect((await boardOf('BD-DOWN-1')).org_id).toBe(4)
    await world.rows('update devices set board_no = null where id = 3')
    const across = await free(people.operator, 'BD-DOWN-2')
    expect(
      (await post(people.agent, across.id, 'bind', { version: 1, deviceId: 3 })).body.message,
    ).toBe('主板属于其他机构，不能绑定该设备')
  })
  test('two at once: one board, one machine', async () => {
    const board = await free(people.agent, 'BD-RACE-1')
    await world.rows('update devices set board_no = null where id in (2, 3)')
    const answers = await Promise.all(
      [2, 3].map((deviceId) => post(people.agent, board.id, 'bind', { version: 1, deviceId })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect((await world.rows(`select 1 from devices where board_no = 'BD-RACE-1'`)).length).toBe(1)
  })
  test('disable, enable, new secret', async () => {
    const board = await boardOf('BD-NEXT-2')
    const off = await post(people.operator, board.id, 'disable', { version: board.version })
    expect(off.body).toMatchObject({
      status: 'DISABLED',
      deviceId: 1,
      can: { disable: false, enable: true },
    })
    await told()
    expect(
      (await post(people.operator, board.id, 'rotate-secret', { version: board.version + 1 })).body
        .message,
    ).toBe('该主板已停用，请先启用')
    expect(
      (await post(people.operator, board.id, 'enable', { version: board.version + 1 })).body.status,
    ).toBe('BOUND')
    const before = (await device(1)).secret_hash
    const rotated = await post(people.repairer, board.id, 'rotate-secret', {
      version: board.version + 2,
    })
    const after = (await device(1)).secret_hash
    expect([after.equals(before), after.equals(secretHash(rotated.body.secret))]).toEqual([
      false,
      true,
    ])
    const [log] = await world.rows<{ text: string }>(
      `select to_jsonb(l)::text as text from operation_logs l where action = 'boards.rotateSecret'
        order by id desc limit 1`,
    )
    expect(log?.text).not.toContain(rotated.body.secret)
  })
})

describe('activation', () => {
  const code = async (id: number, user: number = people.operator) =>
    (await world.send(user, 'POST', `/devices/${id}/activation-code`)).body
  const activate = (given: Record<string, unknown>) => world.send(0, 'POST', '/activate', given)
  test('a board shows its code and becomes the board of the machine, once', async () => {
    const { activationCode, expiresAt, rtuNumber } = await code(1)
    expect([rtuNumber, Date.parse(expiresAt) - now.getTime()]).toEqual(['HD000001', 72 * 3_600_000])
    expect(activationCode).toMatch(/^([2-9A-HJ-NP-Z]{5}-){3}[2-9A-HJ-NP-Z]{5}$/)
    const answer = await activate({
      code: activationCode.toLowerCase(),
      boardNo: 'BD-ACT-1',
      model: 'HD-M4',
      fwVersion: '3.0',
    })
    expect(answer.body).toEqual({
      rtuNumber: 'HD000001',
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect((await device(1)).secret_hash.equals(secretHash(answer.body.secret))).toBe(true)
    expect([(await device(1)).board_no, (await device(1)).card]).toEqual([
      'BD-ACT-1',
      '8986042201000000200',
    ])
    expect((await boardOf('BD-NEXT-2')).disabled_at).not.toBeNull()
    const again = await activate({ code: activationCode, boardNo: 'BD-ACT-2' })
    expect([again.status, again.body.message]).toEqual([422, '激活码无效或已过期'])
  })
  test('a later code ends the former; a late one is nothing; nothing is guessed', async () => {
    const first = await code(1)
    await code(1)
    expect((await activate({ code: first.activationCode, boardNo: 'BD-ACT-3' })).body.message).toBe(
      '激活码无效或已过期',
    )
    const late = await code(1)
    await world.rows(
      `update activation_codes set created_at = $1, expires_at = $2
        where used_at is null and revoked_at is null`,
      [new Date(now.getTime() - 73 * 3_600_000), new Date(now.getTime() - 3_600_000)],
    )
    expect((await activate({ code: late.activationCode, boardNo: 'BD-ACT-3' })).body.message).toBe(
      '激活码无效或已过期',
    )
    expect((await activate({ code: '00000', boardNo: 'BD-ACT-3' })).body.message).toBe(
      '激活码无效或已过期',
    )
    expect((await activate({ boardNo: 'BD-ACT-3' })).body.errors[0].message).toBe('请输入激活码')
    expect(await boardOf('BD-ACT-3')).toBeUndefined()
  })
  test('guesses of an address are seen', async () => {
    const seen = async () =>
      (
        await world.rows(
          `select detail->>'tries' as tries from security_events where kind = 'ACTIVATION_GUESSED'`,
        )
      ).map((row) => row.tries)
    const before = await seen()
    for (let n = 0; n < 10; n += 1) await activate({ code: `GUESS-${n}`, boardNo: 'BD-ACT-3' })
    expect([before, (await seen()).length]).toEqual([[], 1])
  })
  test('a board of somebody else or in another machine does not', async () => {
    const { activationCode } = await code(1)
    expect((await activate({ code: activationCode, boardNo: 'BOARD-4' })).body.message).toBe(
      '该主板已绑定其他设备',
    )
    await world.rows('update devices set board_no = null where id = 4')
    expect((await activate({ code: activationCode, boardNo: 'BOARD-4' })).body.message).toBe(
      '主板属于其他机构，不能绑定该设备',
    )
    expect((await activate({ code: activationCode, boardNo: 'BD-ACT-1' })).status).toBe(200)
    expect((await world.send(people.operator, 'POST', '/devices/4/activation-code')).status).toBe(
      404,
    )
  })
  test('two boards with one code: one of them', async () => {
    const { activationCode } = await code(1)
    const answers = await Promise.all(
      ['BD-TWIN-1', 'BD-TWIN-2'].map((boardNo) => activate({ code: activationCode, boardNo })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 422])
  })
  test('a SIM card that somebody else wrote down keeps no board from coming up', async () => {
    const sim = '89860412345678909999'
    await world.rows(`update main_boards set iccid = $1 where board_no = 'BOARD-4'`, [sim])
    expect(
      (await activate({ code: (await code(1)).activationCode, boardNo: 'BD-SIM-1', iccid: sim }))
        .status,
    ).toBe(200)
    // and one that is known already
    expect(
      (await activate({ code: (await code(1)).activationCode, boardNo: 'BD-SIM-1', iccid: sim }))
        .status,
    ).toBe(200)
    expect([(await boardOf('BOARD-4')).iccid, (await boardOf('BD-SIM-1')).iccid === sim]).toEqual([
      sim,
      false,
    ])
    await world.rows(`update main_boards set iccid = null where board_no = 'BOARD-4'`)
  })
})
