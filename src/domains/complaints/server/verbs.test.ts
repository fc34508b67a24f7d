import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, rowId, type World, worldNow } from '../../../../test/support/world.ts'
import { orders } from '../../orders/contract.ts'
import { complaints } from '../contract.ts'
import { closeResolved, escalate } from './jobs.ts'

let world: World
let token: string
let now = worldNow
beforeAll(async () => {
  world = await openWorld({ now: () => now })
  token = await world.login('ROLE_FULL')
})
afterAll(() => world?.close())

const own = rowId('OWN', 1)
const ask = (
  endpoint: (typeof complaints)[keyof typeof complaints],
  input: Record<string, unknown> = {},
  as = token,
) => world.call(endpoint, input, { token: as })
const enter = async (change: Record<string, unknown> = {}) =>
  (
    await ask(complaints.create, {
      content: '没有出货',
      type: 'NOT_DISPENSED',
      deviceId: own,
      ...change,
    })
  ).body
const ref = (row: { id: number; version: number }) => ({ id: row.id, version: row.version })

describe('entering', () => {
  test('belongs to the organisation of its order, with machine, lane and buyer of the order', async () => {
    const made = await enter({ orderNum: world.orderNum('OWN'), deviceId: undefined })
    expect(made).toMatchObject({
      state: 'OPEN',
      deviceId: own,
      username: '客OWN',
      orderNum: world.orderNum('OWN'),
      overdue: false,
    })
    expect(made.resolveDueAt).toBe(new Date(worldNow.getTime() + 48 * 3_600_000).toISOString())
  })
  test('shows the buyer as orders do, whole to whoever may know', async () => {
    const { id } = await enter({ username: 'wx-005725' })
    const shown = async () => (await ask(complaints.get, { id })).body.username
    expect(await shown()).toBe('wx-005725')
    await world.sql(
      `delete from role_permissions
        where permission_code = 'consumer:unmask' and role_id = (select id from roles
          where code = 'ROLE_FULL')`,
    )
    expect(await shown()).toBe('***5725')
    await world.sql(
      `insert into role_permissions select id, 'consumer:unmask' from roles
        where code = 'ROLE_FULL'`,
    )
  })
  test('shows what the machine said around the order, not around the filing', async () => {
    const orderNum = world.orderNum('OWN')
    const [sale] = await world.sql<{ at: Date; cmdId: string }>(
      `select k.created_at as at, v.cmd_id as "cmdId" from order_keys k
        join vend_commands v on v.order_num = k.order_num where k.order_num = '${orderNum}'`,
    )
    if (!sale) throw new Error('no vend')
    const { at, cmdId } = sale
    const says = (minutes: number, kind: string, payload: Record<string, unknown>) =>
      world.sql(
        `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
          select org_id, $1, id, 'around', $2, $3, $4 from devices where id = $5`,
        [new Date(at.getTime() + minutes * 60_000), minutes, kind, payload, own],
      )
    await says(1, 'vend_result', { cmdId, result: 'NO_DROP', durationMs: 4583 })
    await says(50, 'door', { open: true })
    now = new Date(at.getTime() + 50 * 60_000)
    const { around } = await enter({ orderNum, deviceId: undefined })
    now = worldNow
    expect(around).toEqual([
      expect.objectContaining({ kind: 'vend_result', outcome: 'NO_DROP', ofOrder: true }),
    ])
  })
  test('wants a place, and refuses what is not there or of another organisation', async () => {
    expect((await enter({ deviceId: undefined })).errors[0]).toMatchObject({
      field: 'orderNum',
      message: '请填写订单号或选择设备',
    })
    for (const where of ['SIBLING', 'PARENT'] as const) {
      const missing = await ask(complaints.create, {
        content: 'x',
        type: 'OTHER',
        orderNum: world.orderNum(where),
      })
      expect([missing.status, missing.body.errors[0].field]).toEqual([404, 'orderNum'])
      expect(
        (await ask(complaints.create, { content: 'x', type: 'OTHER', deviceId: rowId(where, 1) }))
          .status,
      ).toBe(404)
    }
    expect((await enter({ content: '   ' })).errors[0]).toMatchObject({
      field: 'content',
      message: '内容不能为空',
    })
    expect(
      (await enter({ images: Array(6).fill('files/00000003-0000-4000-8000-000000000000.png') }))
        .errors[0].message,
    ).toBe('最多上传5张图片')
  })
})

describe('handling', () => {
  test('claim, ask, resolve, reopen, resolve, close after a week', async () => {
    let row = await enter()
    row = (await ask(complaints.claim, ref(row))).body
    expect([row.state, row.assigneeName]).toEqual(['HANDLING', 'ROLE_FULL'])
    row = (await ask(complaints.reply, { ...ref(row), content: '请提供照片', ask: true })).body
    expect([row.state, row.firstRepliedAt]).toEqual(['WAITING', worldNow.toISOString()])
    expect((await ask(complaints.invalidate, { ...ref(row), remark: 'x' })).body.code).toBe(409001)
    row = (await ask(complaints.resolve, { ...ref(row), result: 'EXPLAIN', remark: '已解释' })).body
    expect([row.state, row.result, row.can.reopen]).toEqual(['RESOLVED', 'EXPLAIN', true])
    row = (await ask(complaints.reopen, { ...ref(row), remark: '用户不满意' })).body
    expect([row.state, row.resolvedAt, row.result]).toEqual(['HANDLING', null, null])
    row = (await ask(complaints.resolve, { ...ref(row), result: 'REPAIR', remark: '已修' })).body
    now = new Date(worldNow.getTime() + 8 * 86_400_000)
    await closeResolved(world.app)
    const [stored] = await world.sql<{ state: string }>(
      'select state from complaints where id = $1',
      [row.id],
    )
    now = worldNow
    expect(stored?.state).toBe('CLOSED')
    expect(row.entries.map((entry: { kind: string }) => entry.kind)).toEqual([
      'CLAIM',
      'ASK',
      'RESOLVE',
      'REOPEN',
      'RESOLVE',
    ])
  })
  test('a stale version changes nothing, and two who claim at once are one', async () => {
    const row = await enter()
    const both = await Promise.all(Array.from({ length: 5 }, () => ask(complaints.claim, ref(row))))
    expect(both.map((one) => one.status).sort()).toEqual([200, 409, 409, 409, 409])
    expect((await ask(complaints.note, { ...ref(row), content: 'x' })).body.code).toBe(409001)
  })
  test('is given only to somebody of the scope who may handle it, all or none', async () => {
    const [a, b] = [await enter(), await enter()]
    const person = async (name: string) =>
      Number(
        (await world.sql<{ id: number }>('select id from users where username = $1', [name]))[0]
          ?.id,
      )
    expect(
      (await ask(complaints.assign, { ids: [a.id], assigneeId: await person('user-SIBLING') }))
        .status,
    ).toBe(404)
    expect(
      (await ask(complaints.assign, { ids: [a.id], assigneeId: await person('user-OWN') })).body
        .errors[0].message,
    ).toBe('处理人无权处理投诉')
    expect(
      (
        await ask(complaints.assign, {
          ids: [a.id, 987_654],
          assigneeId: await person('ROLE_RTU_SP'),
        })
      ).status,
    ).toBe(404)
    expect((await ask(complaints.get, { id: a.id })).body.state).toBe('OPEN')
    expect(
      (await ask(complaints.assign, { ids: [a.id, b.id], assigneeId: await person('ROLE_RTU_SP') }))
        .status,
    ).toBe(200)
    expect((await ask(complaints.get, { id: b.id })).body).toMatchObject({
      state: 'HANDLING',
      assigneeName: 'ROLE_RTU_SP',
    })
  })
  test('duplicates close into one', async () => {
    const [main, copy] = [await enter(), await enter({ content: '又没出货' })]
    expect(
      (await ask(complaints.merge, { ...ref(copy), mainId: copy.id })).body.errors[0].message,
    ).toBe('不能与自身合并')
    expect((await ask(complaints.merge, { ...ref(copy), mainId: main.id })).body).toMatchObject({
      state: 'RESOLVED',
      mergedInto: main.id,
    })
    expect((await ask(complaints.get, { id: main.id })).body.entries[0].content).toContain(
      '又没出货',
    )
  })
  test('three reports of one lane within a day raise the lane alarm', async () => {
    const rows = [await enter({ road: 9 }), await enter({ road: 9 }), await enter({ road: 9 })]
    expect(rows.map((row) => row.laneAlarm)).toEqual([false, false, true])
    expect(rows[2].sameLane).toBe(2)
  })
})

describe('money', () => {
  test('a refund follows the order’s rules, is linked, happens once, and keeps the complaint', async () => {
    const orderNum = await world.sell('OWN', ['OK'])
    const row = await enter({ orderNum, deviceId: undefined })
    const input = { ...ref(row), all: true, reason: 'QUALITY' }
    const tries = await Promise.all(Array.from({ length: 5 }, () => ask(complaints.refund, input)))
    expect(tries.filter((one) => one.status === 200)).toHaveLength(1)
    expect(tries.every((one) => [200, 409, 422].includes(one.status))).toBe(true)
    const order = (await world.call(orders.get, { orderNum }, { token })).body
    expect(
      order.units.map((unit: { refund: { amount: number } | null }) => unit.refund?.amount),
    ).toEqual([250])
    const after = (await ask(complaints.get, { id: row.id })).body
    expect([after.refunded, after.state, after.can.remove]).toEqual([true, 'HANDLING', false])
    expect(after.entries.at(-1)).toMatchObject({
      kind: 'REFUND',
      content: expect.stringMatching(/^¥2\.50 · ./),
    })
    expect((await ask(complaints.remove, { ...ref(after), reason: 'x' })).body.message).toBe(
      '已关联退款，无法删除',
    )
    expect(
      (await ask(complaints.refund, { ...ref(after), all: true, reason: 'QUALITY' })).body.code,
    ).toBe(409001)
    expect((await ask(complaints.get, { id: row.id })).body.version).toBe(after.version)
  })
  test('is for who handles complaints: the right to refund alone learns nothing of one, and changes none', async () => {
    const row = await enter({ orderNum: await world.sell('OWN', ['OK']), deviceId: undefined })
    const right = (change: string) =>
      world.sql(
        `${change} where permission_code = 'complaint:update' and role_id = (select id from roles where code = 'ROLE_FULL')`,
      )
    await right('delete from role_permissions')
    for (const id of [row.id, 987_654])
      expect(
        (await ask(complaints.refund, { id, version: row.version, all: true, reason: 'QUALITY' }))
          .status,
      ).toBe(403)
    expect((await ask(complaints.get, { id: row.id })).body).toMatchObject({
      state: 'OPEN',
      assigneeName: row.assigneeName,
      refunded: false,
      can: { refund: false },
    })
    await world.sql(
      `insert into role_permissions select id, 'complaint:update' from roles
        where code = 'ROLE_FULL'`,
    )
  })
  test('without an order there is nothing to refund', async () => {
    expect(
      (await ask(complaints.refund, { ...ref(await enter()), all: true, reason: 'QUALITY' })).body
        .message,
    ).toBe('该投诉没有关联订单')
  })
})

describe('list and deletion', () => {
  test('a deleted complaint is gone from the list, its row and log stay', async () => {
    const row = await enter()
    expect((await ask(complaints.remove, { ...ref(row), reason: '测试' })).body).toEqual({
      ok: true,
    })
    expect((await ask(complaints.get, { id: row.id })).status).toBe(404)
    expect(
      await world.sql('select 1 from complaints where id = $1 and deleted_at is not null', [
        row.id,
      ]),
    ).toHaveLength(1)
  })
  test('a replenisher sees complaints of his machines only, without the phone', async () => {
    const row = await enter({ contactPhone: '13800138000' })
    await ask(complaints.create, { content: '别处', type: 'OTHER', deviceId: rowId('OWN', 11) })
    const replenisher = await world.login('ROLE_RTU_REPLENISHER')
    const { list } = (await ask(complaints.list, { pageSize: 200 }, replenisher)).body
    expect(new Set(list.map((one: { deviceId: number }) => one.deviceId))).toEqual(new Set([own]))
    expect((await ask(complaints.get, { id: row.id }, replenisher)).body.contactPhone).toBe(
      '138****8000',
    )
    expect((await ask(complaints.get, { id: row.id })).body.contactPhone).toBe('13800138000')
  })
  test('what is late is marked, counted and told to the principal once', async () => {
    await enter()
    now = new Date(worldNow.getTime() + 49 * 3_600_000)
    const later = await world.login('ROLE_FULL')
    const stats = (await ask(complaints.stats, {}, later)).body
    const { total } = (await ask(complaints.list, { overdue: true }, later)).body
    expect(total).toBe(stats.overdue)
    expect(total).toBeGreaterThan(0)
    expect(await escalate(world.app)).toBeGreaterThan(0)
    expect(await escalate(world.app)).toBe(0)
    now = worldNow
  })
})
