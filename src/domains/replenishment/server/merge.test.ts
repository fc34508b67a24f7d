import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rowId } from '../../../../test/support/world.ts'
import type { Conflict } from '../conflictContract.ts'
import { replenishment } from '../contract.ts'
import { endDrafts } from './jobs.ts'
import { settleDue } from './settle.ts'
import { type Floor, laneOf, machine, openFloor, type Road } from './testWorld.ts'

/**
 * What a phone did while it had no network meets what happened meanwhile. Each case of the
 * specification's table has a test of its name.
 */
let floor: Floor
beforeAll(async () => {
  floor = await openFloor()
})
afterAll(() => floor.close())
beforeEach(async () => {
  await floor.sql(
    `update replenishment_visits set state = 'CANCELLED' where state in ('DRAFT','SUBMITTED')`,
  )
  await floor.sql(`update visit_conflicts set state = 'SETTLED', choice = 'COUNTED',
    settled_at = now() where state = 'OPEN'`)
  await floor.sql(`delete from messages where kind = 'STOCK'`)
  floor.later(600)
  for (const road of [1, 2, 8] as const) await floor.hold(road, 5)
})

type Op = { kind: string; qty: number; road?: Road; at?: Date } & Record<string, unknown>
/** A phone: what it did, at which moments, and when it tells. */
async function phone(token = floor.replenisher) {
  const clientId = randomUUID()
  const startedAt = floor.now()
  const done: object[] = []
  const clock = { off: 0 }
  const told = (at: Date) => new Date(at.getTime() + clock.off).toISOString()
  let visitId = 0
  const sent = { from: 0 }
  return {
    clientId,
    clock,
    do: ({ kind, qty, road = 1, at = floor.now(), ...more }: Op) => {
      done.push({
        opId: randomUUID(),
        clientSeq: done.length + 1,
        kind,
        laneId: laneOf[road],
        productId: machine,
        qty,
        madeAt: told(at),
        ...more,
      })
    },
    begin: async (more = {}) => {
      const answer = await floor.call(
        replenishment.start,
        {
          deviceId: machine,
          clientId,
          source: 'PHONE',
          startedAt: told(startedAt),
          sentAt: told(floor.now()),
          ...more,
        },
        { token },
      )
      visitId = answer.body.id
      return answer
    },
    send: async () => {
      const ops = done.slice(sent.from)
      const answer = await floor.call(
        replenishment.ops,
        { clientId, ops, sentAt: told(floor.now()) } as never,
        { token },
      )
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      sent.from = done.length
      return answer.body.ops as { state: string; reason: string | null; laneNow: number | null }[]
    },
    again: () =>
      floor.call(replenishment.ops, { clientId, ops: done, sentAt: told(floor.now()) } as never, {
        token,
      }),
    submit: (more = {}) =>
      floor.call(
        replenishment.submit,
        { id: visitId, lastClientSeq: done.length, sentAt: told(floor.now()), ...more },
        { token },
      ),
    result: async () =>
      (await floor.call(replenishment.result, { clientId }, { token })).body as {
        visit: { id: number; state: string; flags: string[]; doorSeconds: number | null }
        ops: { state: string; reason: string | null }[]
        conflicts: Conflict[]
      },
    /** All at once, as a phone does that comes back to the network. */
    async tell(more = {}) {
      await this.begin()
      const answers = await this.send()
      const { body } = await this.submit(more)
      return { answers, body, ...(await this.result()) }
    },
  }
}
const settle = (id: number, choice: Conflict['choice'], token = floor.operator) =>
  floor.call(replenishment.resolveConflict, { id, choice: choice as never }, { token })
const only = (conflicts: Conflict[]) => {
  expect(conflicts).toHaveLength(1)
  return conflicts[0] as Conflict
}
const lockOf = async (laneId: number) =>
  (
    await floor.sql<{ status: string; lock_reason: string | null }>(
      'select status, lock_reason from lanes where id = $1',
      [laneId],
    )
  )[0]
const sold = async (road: Road) => {
  await floor.buy(road)
  const out = await floor.take()
  floor.later(2)
  await floor.say(out, 'OK')
}
const message = () =>
  floor.sql<{ title_zh: string }>(
    `select title_zh from messages where kind = 'STOCK' and created_at = $1`,
    [floor.now()],
  )

test('same op again, or visit sent from two tabs', async () => {
  const one = await phone()
  one.do({ kind: 'ADD', qty: 2 })
  one.do({ kind: 'ADD', qty: 1, productId: 999_999 })
  const both = await Promise.all([one.begin(), one.begin()])
  expect(new Set(both.map(({ body }) => body.id)).size).toBe(1)
  const answers = await Promise.all([one.again(), one.again()])
  expect(answers.map(({ body }) => body.ops.map((op: { state: string }) => op.state))).toEqual(
    expect.arrayContaining([
      ['APPLIED', 'CONFLICT'],
      ['DUPLICATE', 'DUPLICATE'],
    ]),
  )
  const { body } = await one.again()
  expect(body.ops[1].reason).toBe('货道商品已变更，请重新核对')
  await one.submit()
  expect((await floor.lane(1)).q).toBe(7)
})

test('vends before, during, after the visit', async () => {
  const since = floor.now()
  await sold(1)
  floor.later(300)
  const one = await phone()
  floor.later(200)
  one.do({ kind: 'COUNT', qty: 3 })
  one.do({ kind: 'ADD', qty: 4 })
  floor.later(200)
  await sold(1)
  floor.later(3600)
  await sold(1)
  const { visit } = await one.tell()
  expect(visit.state).toBe('POSTED')
  // five, one sold, three counted: one is missing; four put in, two sold since
  expect(await floor.flows(1, since)).toEqual([
    'SALE -1',
    'SALE -1',
    'SALE -1',
    'COUNT_LOSS -1',
    'REFILL 4',
  ])
  expect(await floor.lane(1)).toMatchObject({ q: 5, r: 0, h: 0 })
  await floor.agrees()
})

describe('two people served the same lane', () => {
  test('both put in while it holds them; else it is counted, and that settles it', async () => {
    const [mine, theirs] = [await phone(), await phone(floor.operator)]
    mine.do({ kind: 'ADD', qty: 3 })
    theirs.do({ kind: 'ADD', qty: 2 })
    const third = await phone(await floor.login('ROLE_FULL'))
    third.do({ kind: 'ADD', qty: 2 })
    expect((await mine.tell()).visit.state).toBe('POSTED')
    expect((await theirs.tell()).visit.state).toBe('POSTED')
    expect((await floor.lane(1)).q).toBe(10)
    const { visit, conflicts } = await third.tell()
    expect(visit.state).toBe('PARTIAL')
    expect(only(conflicts)).toMatchObject({
      kind: 'TO_COUNT',
      error: 'overCapacity',
      addedQty: 2,
      systemQty: 10,
      choices: [],
    })
    expect(await lockOf(laneOf[1])).toEqual({ status: 'LOCKED', lock_reason: 'COUNT_NEEDED' })
    expect((await settle(only(conflicts).id, 'NOT_PUT')).body.error).toBe('replenishment.noChoice')
    floor.later(60)
    const { id } = await floor.start()
    await floor.save(id, [{ laneId: laneOf[1], countedQty: 9 }])
    expect((await floor.submit(id)).body.state).toBe('POSTED')
    expect(await lockOf(laneOf[1])).toMatchObject({ status: 'ENABLED' })
    expect(only((await third.result()).conflicts)).toMatchObject({
      state: 'SETTLED',
      choice: 'COUNTED',
    })
    await floor.agrees()
  })
})

describe('planogram version changed, product different', () => {
  const changed = async () => {
    const one = await phone()
    one.do({ kind: 'ADD', qty: 2, productId: rowId('PARENT', 1) })
    one.do({ kind: 'ADD', qty: 1, productId: rowId('PARENT', 1) })
    const { answers, visit, conflicts } = await one.tell()
    expect(answers.map(({ state }) => state)).toEqual(['CONFLICT', 'CONFLICT'])
    expect(visit.state).toBe('PARTIAL')
    expect(only(conflicts)).toMatchObject({
      kind: 'PRODUCT_CHANGED',
      addedQty: 3,
      systemQty: 5,
      choices: ['NOT_PUT', 'OLD_GOODS'],
    })
    expect((await message()).map((row) => row.title_zh)).toContain('OWN0001 补货冲突待处理')
    return only(conflicts)
  }
  test('未放入: nothing is booked', async () => {
    const { id } = await changed()
    expect((await settle(id, 'NOT_PUT', floor.replenisher)).body).toMatchObject({
      state: 'SETTLED',
      choice: 'NOT_PUT',
      choices: [],
    })
    expect(await floor.lane(1)).toMatchObject({ q: 5, status: 'ENABLED' })
    expect((await settle(id, 'OLD_GOODS')).body.error).toBe('replenishment.settled')
  })
  test('已放入旧商品: the lane is locked and somebody fetches them', async () => {
    const { id } = await changed()
    await settle(id, 'OLD_GOODS')
    expect(await lockOf(laneOf[1])).toEqual({ status: 'LOCKED', lock_reason: 'WRONG_PRODUCT' })
    const { body } = await floor.call(replenishment.myRoute, {}, { token: floor.replenisher })
    expect(
      body.stops.find((stop: { deviceId: number }) => stop.deviceId === machine),
    ).toMatchObject({ takeBack: 1 })
  })
  test.each(['cancel', 'reject'] as const)(
    'of a visit that is over (%s) nothing waits for a decision',
    async (how) => {
      const one = await phone()
      one.do({ kind: 'ADD', qty: 2, productId: rowId('PARENT', 1) })
      const id = (await one.begin()).body.id as number
      await one.send()
      const { id: waits } = only((await one.result()).conflicts)
      if (how === 'reject')
        await floor.sql(
          `update replenishment_visits set state = 'SUBMITTED', submitted_at = $2 where id = $1`,
          [id, floor.now()],
        )
      const over =
        how === 'cancel'
          ? await floor.call(replenishment.cancel, { id }, { token: floor.replenisher })
          : await floor.call(
              replenishment.reject,
              { id, reason: '未去' },
              { token: floor.operator },
            )
      expect([over.status, over.body.openConflicts]).toEqual([200, 0])
      expect((await settle(waits, 'OLD_GOODS')).body.error).toBe('replenishment.settled')
      expect(await lockOf(laneOf[1])).toEqual({ status: 'ENABLED', lock_reason: null })
    },
  )
  test('changed between the phone’s word and its posting', async () => {
    const one = await phone()
    one.do({ kind: 'ADD', qty: 2, road: 2 })
    await one.begin()
    expect((await one.send()).map(({ state }) => state)).toEqual(['APPLIED'])
    await floor.sql(`update lanes set product_id = $2 where id = $1`, [
      laneOf[2],
      rowId('PARENT', 1),
    ])
    await one.submit()
    await floor.sql(`update lanes set product_id = $2 where id = $1`, [laneOf[2], machine])
    expect(only((await one.result()).conflicts)).toMatchObject({ kind: 'PRODUCT_CHANGED' })
  })
})

test('capacity changed', async () => {
  const one = await phone()
  one.do({ kind: 'ADD', qty: 3 })
  await floor.sql(`update lanes set capacity = 8 where id = $1`, [laneOf[1]])
  expect((await one.tell()).visit.state).toBe('POSTED')
  const next = await phone()
  next.do({ kind: 'ADD', qty: 1 })
  const { conflicts } = await next.tell()
  await floor.sql(`update lanes set capacity = 10 where id = $1`, [laneOf[1]])
  expect(only(conflicts)).toMatchObject({ kind: 'TO_COUNT', error: 'overCapacity' })
  expect(await lockOf(laneOf[1])).toMatchObject({ lock_reason: 'COUNT_NEEDED' })
})

describe('goods of a batch', () => {
  const batch: Record<'good' | 'recalled' | 'expired', number> = {
    good: 0,
    recalled: 0,
    expired: 0,
  }
  beforeAll(async () => {
    await floor.sql(`insert into suppliers (id, org_id, name, phone) overriding system value
      values (79, 3, '供三', '13800138079')`)
    const rows = await floor.sql<{ id: string }>(
      `insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on,
        recall_level, recalled_at, status)
        values (3, $1, 79, 'M1', '2026-01-01', '2027-06-01', null, null, 'NORMAL'),
          (3, $1, 79, 'M2', '2026-01-01', '2027-06-01', 'I', now(), 'RECALLED'),
          (3, $1, 79, 'M3', '2026-01-01', '2026-11-21', null, null, 'NORMAL')
        returning id`,
      [machine],
    )
    ;[batch.good, batch.recalled, batch.expired] = rows.map(({ id }) => Number(id)) as [
      number,
      number,
      number,
    ]
  })

  test.each([
    ['recalled', 'RECALL', 'OWN0001 补入了召回批次'],
    ['expired', 'EXPIRY', 'OWN0001 补入了过期批次'],
  ] as const)('batch recalled or expired meanwhile: %s', async (which, reason, title) => {
    const one = await phone()
    const since = floor.now()
    one.do({ kind: 'ADD', qty: 2, batchId: batch[which] })
    floor.later(5)
    const { visit, conflicts } = await one.tell()
    expect([visit.state, conflicts]).toEqual(['POSTED', []])
    expect(await floor.flows(1, since)).toEqual(['REFILL 2'])
    expect(await lockOf(laneOf[1])).toEqual({ status: 'LOCKED', lock_reason: reason })
    expect((await message()).map((row) => row.title_zh)).toContain(title)
    // at the desk, before it is done, it is refused
    const { id } = await floor.start()
    await floor.save(id, [{ laneId: laneOf[2], addedQty: 1, batchId: batch[which] }])
    expect((await floor.submit(id)).body.items[0].error).toMatch(/^batch(Recalled|Expired)$/)
    await floor.call(replenishment.cancel, { id }, { token: floor.replenisher })
    const back = await floor.start()
    await floor.save(back.id, [
      {
        laneId: laneOf[1],
        withdrawnQty: 2,
        withdrawReason: which === 'recalled' ? 'RECALL' : 'EXPIRED',
      },
    ])
    expect((await floor.submit(back.id)).body.state).toBe('POSTED')
    await floor.agrees()
  })

  test('removed since it was taken along: the goods are there, their batch is unknown', async () => {
    const one = await phone()
    one.do({ kind: 'ADD', qty: 2, batchId: 987_654 })
    one.do({ kind: 'ADD', qty: 1, batchId: 987_654, productId: 999_999 })
    const { body, conflicts } = await one.tell()
    expect([body.added, conflicts.map(({ kind }) => kind)]).toEqual([2, ['PRODUCT_CHANGED']])
    // whoever chooses at a desk chooses from those that are there
    const { id } = await floor.start()
    const lost = await floor.save(id, [{ laneId: laneOf[2], addedQty: 1, batchId: 987_654 }])
    expect(lost.body.code).toBe(404001)
    await floor.call(replenishment.cancel, { id }, { token: floor.replenisher })
    await floor.agrees()
  })

  test('of an organisation beside the machine’s: not put in by those above both', async () => {
    await floor.sql(`insert into suppliers (id, org_id, name, phone) overriding system value
      values (80, 4, '供四', '13800138080')`)
    // of the agent above both
    await floor.sql(
      `with c as (insert into product_categories (org_id, name) values (2, '共用') returning id)
        update products set org_id = 2, category_id = c.id from c where products.id = $1`,
      [machine],
    )
    const [beside] = await floor.sql<{ id: string }>(
      `insert into batches (org_id, product_id, supplier_id, batch_no, produced_on, expires_on)
        values (4, $1, 80, 'M4', '2026-01-01', '2027-06-01') returning id`,
      [machine],
    )
    const batchId = Number(beside?.id)
    const agent = await floor.world.login('ROLE_RTU_AGENT')
    const { id } = await floor.start(agent)
    await floor.save(id, [{ laneId: laneOf[1], addedQty: 1, batchId }], agent)
    expect((await floor.submit(id, agent)).body.items[0].error).toBe('batchMissing')
    await floor.call(replenishment.cancel, { id }, { token: agent })
    const one = await phone(agent)
    one.do({ kind: 'ADD', qty: 1, batchId })
    expect(only((await one.tell()).conflicts)).toMatchObject({ kind: 'TO_COUNT' })
    expect((await lockOf(laneOf[1]))?.lock_reason).toBe('COUNT_NEEDED')
    await floor.agrees()
  })

  test('trace code already SOLD or LOADED elsewhere', async () => {
    await floor.sql(`update products set trace_required = true where id = $1`, [machine])
    await floor.sql(
      `insert into trace_codes (code, org_id, batch_id) select '7100000' || n, 3, $1
        from generate_series(1, 4) n`,
      [batch.good],
    )
    const put = async (road: Road, codes: string[]) => {
      const one = await phone()
      one.do({ kind: 'ADD', qty: codes.length, road, batchId: batch.good, codes })
      return { one, ...(await one.tell()) }
    }
    expect((await put(8, ['71000001'])).conflicts).toEqual([])
    const { visit, conflicts } = await put(2, ['71000002', '71000001', '71000003'])
    expect(visit.state).toBe('PARTIAL')
    expect(only(conflicts)).toMatchObject({ kind: 'TRACE_CODE', codes: ['71000001'] })
    expect(await lockOf(laneOf[2])).toEqual({ status: 'LOCKED', lock_reason: 'TRACE_CODE' })
    expect((await floor.lane(2)).q).toBe(8)
    expect(
      await floor.sql(`select code, lane_id from trace_codes where code like '7100000%'
        and state = 'LOADED' order by code`),
    ).toEqual([
      { code: '71000001', lane_id: expect.anything() },
      { code: '71000002', lane_id: expect.anything() },
      { code: '71000003', lane_id: expect.anything() },
    ])
    await floor.agrees()
    expect((await settle(only(conflicts).id, 'CODES_CHECKED')).status).toBe(200)
    // pieces without a code lie in it still
    expect(await lockOf(laneOf[2])).toMatchObject({ lock_reason: 'TRACE_CODE' })
    await floor.sql(`update products set trace_required = null where id = $1`, [machine])
  })
})

describe('assignment removed while offline', () => {
  const remove = (at: Date) =>
    floor.sql(
      `update device_assignments set from_at = '2026-01-01', to_at = $1 where device_id = $2`,
      [at, machine],
    )
  const giveBack = () =>
    floor.sql(`update device_assignments set to_at = null where device_id = $1`, [machine])

  test('what was done before waits for an operator, what was done after is refused', async () => {
    const one = await phone()
    one.do({ kind: 'ADD', qty: 2 })
    floor.later(600)
    await remove(floor.now())
    try {
      floor.later(600)
      one.do({ kind: 'ADD', qty: 1 })
      const { answers, visit } = await one.tell()
      expect(answers).toMatchObject([
        { state: 'APPLIED' },
        { state: 'REJECTED', reason: '您已不再负责该设备' },
      ])
      expect(visit.state).toBe('SUBMITTED')
      expect((await floor.lane(1)).q).toBe(5)
      // nobody else’s, and nothing but that
      const clientId = randomUUID()
      const late = await floor.call(
        replenishment.start,
        {
          deviceId: machine,
          clientId,
          source: 'PHONE',
          startedAt: floor.now().toISOString(),
          sentAt: floor.now().toISOString(),
        },
        { token: floor.replenisher },
      )
      expect(late.body.error).toBe('replenishment.noLonger')
      const seen = await floor.call(replenishment.lanes, {}, { token: floor.replenisher })
      expect(seen.body.total).toBe(0)
      const posted = await floor.call(
        replenishment.approve,
        { id: visit.id },
        { token: floor.operator },
      )
      expect(posted.body).toMatchObject({ state: 'POSTED', added: 2 })
      expect((await floor.lane(1)).q).toBe(7)
    } finally {
      await giveBack()
    }
  })
  test('sent before the sweep closed it, and after', async () => {
    const one = await phone()
    one.do({ kind: 'ADD', qty: 1 })
    await one.begin()
    await one.send()
    one.do({ kind: 'ADD', qty: 1 })
    floor.later(60)
    await remove(floor.now())
    try {
      expect(await endDrafts(floor.app)).toBe(1)
      expect((await one.send()).map(({ state }) => state)).toEqual(['APPLIED'])
      expect((await one.submit()).body.state).toBe('SUBMITTED')
    } finally {
      await giveBack()
    }
  })
  test('somebody who never served it reaches nothing', async () => {
    const stranger = await floor.login('ROLE_RTU_REPAIRER')
    const one = await phone()
    one.do({ kind: 'ADD', qty: 1 })
    await one.begin()
    const sent = await floor.call(
      replenishment.result,
      { clientId: one.clientId },
      { token: stranger },
    )
    expect([403, 404]).toContain(sent.status)
  })
})

test('device replaced its board', async () => {
  const one = await phone()
  const at = floor.now()
  floor.later(60)
  await door(true)
  floor.later(60)
  one.do({ kind: 'COUNT', qty: 5 })
  floor.later(120)
  await floor.sql(
    `insert into device_events (org_id, created_at, device_id, kind) values (3, $1, $2,
      'BOARD_REPLACED')`,
    [floor.now(), machine],
  )
  expect(at).toBeDefined()
  const { visit } = await one.tell()
  expect(visit).toMatchObject({ state: 'POSTED', flags: ['BOARD_REPLACED'] })
})

describe('lane rebuilt meanwhile', () => {
  const newLane = 990_001
  /** The old one is archived; a new one of the same number stands there. */
  const rebuilt = async (work: () => Promise<void>) => {
    await floor.hold(8, 0)
    await floor.sql(`update lanes set archived_at = now() where id = $1`, [laneOf[8]])
    await floor.sql(
      `insert into lanes (id, org_id, device_id, floor_id, road_index, col, motor_no, product_id,
        capacity, warn_qty, retail_price, price)
        overriding system value select $2, org_id, device_id, floor_id, road_index, col, motor_no, product_id,
        capacity, warn_qty, retail_price, price from lanes where id = $1`,
      [laneOf[8], newLane],
    )
    try {
      await work()
    } finally {
      await floor.sql(`update lanes set archived_at = now() where id = $1`, [newLane])
      await floor.sql(`update lanes set archived_at = null where id = $1`, [laneOf[8]])
    }
  }
  test('quantities are offered for the new lane of the same number and product', () =>
    rebuilt(async () => {
      const one = await phone()
      one.do({ kind: 'ADD', qty: 4, road: 8 })
      const { answers, conflicts } = await one.tell()
      expect(answers).toMatchObject([{ state: 'CONFLICT', reason: '货道已重建' }])
      expect(only(conflicts)).toMatchObject({
        kind: 'LANE_REBUILT',
        addedQty: 4,
        systemQty: null,
        choices: ['PUT_IN_NEW', 'TAKE_BACK', 'NOT_PUT'],
      })
      expect((await settle(only(conflicts).id, 'PUT_IN_NEW')).body).toMatchObject({
        choice: 'PUT_IN_NEW',
      })
      const [row] = await floor.sql<{ q: number }>(
        'select quantity as q from lanes where id = $1',
        [newLane],
      )
      expect(row?.q).toBe(4)
      await floor.agrees()
    }))
})

/** What the machine says of its door now. */
async function door(open: boolean): Promise<void> {
  await floor.sql(
    `insert into device_messages (org_id, created_at, device_id, boot, seq, kind, payload)
      values (3, $1, $2, 'b1', $3, 'door', $4)`,
    [floor.now(), machine, floor.now().getTime(), JSON.stringify({ open })],
  )
}

describe('reference point of a count', () => {
  test('while the door was open: the moment it was opened', async () => {
    const one = await phone()
    floor.later(30)
    await door(true)
    floor.later(200)
    await sold(1) // by a machine whose door says it is open: nothing that leaves then counts before
    floor.later(300)
    one.do({ kind: 'COUNT', qty: 5 })
    floor.later(20)
    await door(false)
    floor.later(600)
    const { visit } = await one.tell({ finishedAt: floor.now().toISOString() })
    expect(visit).toMatchObject({ state: 'POSTED', doorSeconds: 522 })
    // by the clock of the count itself there would be a gain of one
    expect(await floor.lane(1)).toMatchObject({ q: 4 })
    await floor.agrees()
  })
  test('without words of the door: the phone’s clock, put right', async () => {
    const one = await phone()
    one.clock.off = 3_600_000
    floor.later(300)
    one.do({ kind: 'COUNT', qty: 4 })
    floor.later(300)
    await sold(1)
    floor.later(300)
    const { visit } = await one.tell()
    expect(visit).toMatchObject({ state: 'POSTED', flags: ['CLOCK_OFF'], doorSeconds: null })
    expect(await floor.lane(1)).toMatchObject({ q: 3 })
  })
  test('a clock that is right, and data of more than a day', async () => {
    const one = await phone()
    one.do({ kind: 'ADD', qty: 1 })
    await one.begin({ packAt: new Date(floor.now().getTime() - 90_000_000).toISOString() })
    await one.send()
    await one.submit()
    expect((await one.result()).visit.flags).toEqual(['OFFLINE_LONG'])
  })
})

test('a lane that was found broken sells no more', async () => {
  const one = await phone()
  one.do({ kind: 'FAULT', qty: 0, note: '电机不转' })
  const { visit } = await one.tell()
  expect(visit.state).toBe('POSTED')
  expect((await floor.lane(1)).status).toBe('FAULT')
})

describe('photos of a visit', () => {
  const dot = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const form = (bytes: Buffer) =>
    Buffer.concat([
      Buffer.from(
        '--xxBOUNDxx\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
      ),
      bytes,
      Buffer.from('\r\n--xxBOUNDxx--\r\n'),
    ])
  const add = (clientId: string, photoId = randomUUID(), bytes = dot, token = floor.replenisher) =>
    floor.ask(
      token,
      'POST',
      `/replenishment-visits/${clientId}/photos?photoId=${photoId}`,
      form(bytes),
      { 'content-type': 'multipart/form-data; boundary=xxBOUNDxx' },
    )
  test('at most five, each once, pictures only, of one’s own visit', async () => {
    const one = await phone()
    await one.begin()
    const photoId = randomUUID()
    const first = await add(one.clientId, photoId)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect((await add(one.clientId, photoId)).body.url).toBe(first.body.url)
    expect((await add(one.clientId, randomUUID(), Buffer.from('no picture'))).status).toBe(415)
    expect((await add(one.clientId, randomUUID(), dot, floor.operator)).status).toBe(404)
    expect((await add(randomUUID())).status).toBe(404)
    const many = await Promise.all(Array.from({ length: 6 }, () => add(one.clientId)))
    expect(many.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 422, 422])
    const { visit } = (await one.result()) as unknown as { visit: { photos: object[] } }
    expect(visit.photos).toHaveLength(5)
    // the number of another visit's picture
    const other = await phone(floor.operator)
    await other.begin()
    expect((await add(other.clientId, photoId, dot, floor.operator)).status).toBe(404)
  })
})

test('the last pick list of the day is the plan of a visit', async () => {
  const picked = await floor.call(
    replenishment.pick,
    { deviceIds: [machine] },
    { token: floor.operator },
  )
  expect(picked.status).toBe(200)
  const one = await phone(floor.operator)
  const { body } = await one.begin()
  expect(body.planned).toContainEqual({ laneId: laneOf[1], planned: 5 })
})

describe('a vend result within 90 seconds of the reference', () => {
  /** Counted four of five, around which one was sold. */
  const near = async (counted: number) => {
    const one = await phone()
    floor.later(300)
    await sold(1)
    floor.later(60)
    one.do({ kind: 'COUNT', qty: counted })
    one.do({ kind: 'ADD', qty: 2 })
    floor.later(600)
    const { visit, conflicts } = await one.tell()
    expect(visit.state).toBe('PARTIAL')
    // what was put in is there, whatever was counted
    expect(await floor.lane(1)).toMatchObject({ q: 6, status: 'ENABLED' })
    floor.later(1)
    return only(conflicts)
  }
  test('the customer took it before the count', async () => {
    const one = await near(3)
    expect(one).toMatchObject({
      kind: 'VEND_NEAR',
      countedQty: 3,
      systemQty: 5,
      diffBefore: -1,
      diffAfter: -2,
      choices: ['BEFORE', 'AFTER'],
    })
    const since = floor.now()
    await settle(one.id, 'BEFORE')
    expect(await floor.flows(1, since)).toEqual(['COUNT_LOSS -1'])
    expect((await floor.lane(1)).q).toBe(5)
    await floor.agrees()
  })
  test('the customer took it after the count', async () => {
    const one = await near(5)
    expect(one).toMatchObject({ diffBefore: 1, diffAfter: 0 })
    await settle(one.id, 'AFTER')
    expect((await floor.lane(1)).q).toBe(6)
    await floor.agrees()
  })
  test('a later count settles it', async () => {
    const one = await near(3)
    const { id } = await floor.start(floor.operator)
    await floor.save(id, [{ laneId: laneOf[1], countedQty: 6 }], floor.operator)
    await floor.submit(id, floor.operator)
    expect((await settle(one.id, 'BEFORE')).body.error).toBe('replenishment.settled')
  })
  test('said twice at once it is booked once', async () => {
    const one = await near(3)
    const since = floor.now()
    const answers = await Promise.all([1, 2, 3].map(() => settle(one.id, 'BEFORE')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422])
    expect(await floor.flows(1, since)).toEqual(['COUNT_LOSS -1'])
  })
  test('nobody says so for a day: the smaller difference', async () => {
    const one = await near(3)
    floor.later(86_398)
    expect(await settleDue(floor.app)).toBe(0)
    floor.later(2)
    const since = floor.now()
    expect(await Promise.all([settleDue(floor.app), settleDue(floor.app)])).toContain(1)
    expect(await floor.flows(1, since)).toEqual(['COUNT_LOSS -1'])
    expect((await settle(one.id, 'AFTER', await floor.login('ROLE_RTU_SP'))).body.error).toBe(
      'replenishment.settled',
    )
    await floor.agrees()
  })
})

test('a phone that has been silent for two hours is told of', async () => {
  const one = await phone(await floor.login('ROLE_RTU_REPLENISHER'))
  one.do({ kind: 'ADD', qty: 1 })
  await one.begin()
  await one.send()
  const unsent = (token: string) => floor.call(replenishment.unsent, {}, { token })
  floor.later(7199)
  expect((await unsent(await floor.login('ROLE_RTU_SP'))).body.list).toEqual([])
  floor.later(2)
  expect((await unsent(await floor.login('ROLE_RTU_SP'))).body.list).toMatchObject([{ visits: 1 }])
  expect((await unsent(await floor.login('ROLE_RTU_REPLENISHER'))).status).toBe(403)
})
