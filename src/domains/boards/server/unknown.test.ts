import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addDevice, now, people, type World } from '../../devices/server/testWorld.ts'
import { secretHash } from '../../machines/server/secret.ts'
import { unknownLimits } from '../rules.ts'
import { type Sighting, sightingsOf } from './sightings.ts'
import { openBoardWorld } from './testWorld.ts'

let world: World
beforeAll(async () => {
  world = await openBoardWorld()
  await addDevice(world, 1, 3)
  await addDevice(world, 2, 4)
  await world.rows(`insert into role_permissions values (907, 'main-board:create')`)
})
afterAll(() => world.close())
beforeEach(async () => {
  await flush()
  await world.rows('delete from unknown_boards')
})

const flush = () => sightingsOf(world.app).flush()
const note = (boardNo: string, more: Partial<Sighting> = {}) =>
  sightingsOf(world.app).note({ boardNo, via: 'MQTT', address: '10.0.0.1', ...more })
type Listed = { id: number; boardNo: string }
const listed = async (query = '', user: number = people.platform): Promise<Listed[]> =>
  (await world.send(user, 'GET', `/unknown-boards${query}`)).body.list
const numbers = async (query = '') => (await listed(query)).map((row) => row.boardNo).sort()
const one = async (boardNo: string): Promise<number> => {
  note(boardNo)
  await flush()
  return (await listed()).find((row) => row.boardNo === boardNo)?.id as number
}
const post = (user: number, id: number, verb: string, body: unknown = {}) =>
  world.send(user, 'POST', `/unknown-boards/${id}/${verb}`, body)
const board = (boardNo: string) =>
  world.one<{ org_id: number; model: string; iccid: string | null }>(
    'select * from main_boards where board_no = $1',
    [boardNo],
  )
const random = () => `FL-${Math.random().toString(36).slice(2, 12)}000`

describe('sightings', () => {
  test('many tries are one row; what is registered, or no number of a board, is none', async () => {
    for (let i = 0; i < 3; i++) note('NEW-0001', { address: '::ffff:10.9.8.7' })
    note('NEW-0001', { via: 'ACTIVATION', model: 'HD-M4', iccid: '8986042201000000007' })
    for (const known of [
      'BOARD-1',
      'HD000001',
      'short',
      'with space',
      "x'; drop table",
      'x'.repeat(41),
    ])
      note(known)
    await flush()
    note('NEW-0001')
    await flush()
    const seen = await listed()
    expect(seen).toMatchObject([
      {
        boardNo: 'NEW-0001',
        tries: 5,
        via: 'MQTT',
        address: '10.0.0.1',
        model: 'HD-M4',
        iccid: '8986042201000000007',
        ignored: false,
        firstSeenAt: now.toISOString(),
      },
    ])
  })
  test('a flood of random numbers keeps no real board out, neither of the batch nor of the table', async () => {
    const size = async () =>
      (await world.one<{ n: number }>('select count(*)::int as n from unknown_boards')).n
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 3000; i++) {
        if (i === 1500) note('REAL-0001', { address: '10.7.7.7' })
        note(random(), { address: i % 2 ? '10.66.66.66' : '10.66.66.67' })
      }
      await flush()
      expect(await size()).toBeLessThanOrEqual(
        Math.min((round + 1) * unknownLimits.waiting, unknownLimits.kept),
      )
    }
    expect(await size()).toBe(unknownLimits.kept)
    expect(await listed('?boardNo=REAL')).toMatchObject([{ tries: 8 }])
  })
  test('of one address the number that keeps trying stays', async () => {
    note('KEEN-0001')
    note('KEEN-0001')
    await flush()
    for (let round = 0; round < 7; round++) {
      for (let i = 0; i < 200; i++) note(random())
      await flush()
    }
    expect(await listed('?boardNo=KEEN')).toMatchObject([{ tries: 2 }])
  })
  test('what cannot be written waits for the next turn; what was not seen for long is forgotten', async () => {
    await world.rows('alter table unknown_boards rename to away')
    note('WAIT-0001')
    await expect(flush()).rejects.toThrow()
    note('WAIT-0001')
    await world.rows('alter table away rename to unknown_boards')
    await flush()
    expect(await listed()).toMatchObject([{ boardNo: 'WAIT-0001', tries: 2 }])
    const age = (hours: number, tries: number) =>
      world.rows('update unknown_boards set first_seen_at = $1, last_seen_at = $1, tries = $2', [
        new Date(now.getTime() - hours * 3_600_000),
        tries,
      ])
    for (const [hours, tries, shown] of [
      [23, 2, 1],
      [25, 2, 0],
      [25, 3, 1],
      [29 * 24, 3, 1],
      [31 * 24, 3, 0],
    ] as const) {
      await age(hours, tries)
      expect([hours, tries, (await listed()).length]).toEqual([hours, tries, shown])
    }
    note('WAIT-0002')
    await flush()
    expect(await world.rows('select board_no from unknown_boards')).toEqual([
      { board_no: 'WAIT-0002' },
    ])
  })
  test('an activation with a code that does not work is one, one that works is not', async () => {
    const activate = (code: string, boardNo: string) =>
      world.send(0, 'POST', '/activate', { code, boardNo, model: 'HD-M4' })
    expect((await activate('AAAAA', 'ACT-0001')).status).toBe(422)
    await activate('AAAAA', 'BOARD-2')
    const { body } = await world.send(people.operator, 'POST', '/devices/1/activation-code')
    expect((await activate(body.activationCode, 'ACT-0002')).status).toBe(200)
    await flush()
    expect(await listed()).toMatchObject([
      { boardNo: 'ACT-0001', via: 'ACTIVATION', model: 'HD-M4', address: '127.0.0.1' },
    ])
  })
})

describe('who decides', () => {
  test('the platform alone: others have an empty list, no count and no row', async () => {
    const id = await one('NEW-0002')
    expect(await listed('', people.platform)).toHaveLength(1)
    expect((await world.send(people.platform, 'GET', '/main-boards/counts')).body.unknown).toBe(1)
    for (const user of [people.agent, people.operator, people.stranger, people.repairer]) {
      expect([user, await listed('', user)]).toEqual([user, []])
      expect((await world.send(user, 'GET', '/main-boards/counts')).body.unknown).toBeNull()
      for (const verb of ['claim', 'ignore', 'restore'])
        expect([user, verb, (await post(user, id, verb)).status]).toEqual([user, verb, 404])
    }
    expect((await world.send(people.reader, 'GET', '/unknown-boards')).status).toBe(403)
    // staff of single machines see none, even of their own organisation
    await world.rows('update unknown_boards set org_id = 3')
    expect([
      (await listed('', people.operator)).length,
      (await listed('', people.repairer)).length,
    ]).toEqual([1, 0])
    expect((await post(people.reader, id, 'claim')).status).toBe(403)
  })
  test('claimed into the cupboard of an organisation, once', async () => {
    const id = await one('NEW-0003')
    const wrong = await post(people.platform, id, 'claim', { orgId: 6 })
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, 'orgId'])
    const answers = await Promise.all(
      [3, 4].map((orgId) =>
        post(people.platform, id, 'claim', { orgId, model: 'HD-M4', iccid: '8986042201000000008' }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 404])
    expect(answers.find((answer) => answer.status === 200)?.body).toEqual({
      boardNo: 'NEW-0003',
      rtuNumber: '',
      secret: null,
    })
    expect(await board('NEW-0003')).toMatchObject({ model: 'HD-M4', iccid: '8986042201000000008' })
    note('NEW-0003')
    await flush()
    expect(await numbers()).toEqual([])
  })
  test('claimed into a machine: its new secret is shown once and written nowhere', async () => {
    const id = await one('NEW-0004')
    const taken = await post(people.platform, id, 'claim', { deviceId: 2 })
    expect([taken.status, taken.body.errors]).toEqual([
      422,
      [{ field: 'deviceId', message: '该设备已有主板，请更换主板' }],
    ])
    await world.rows('update devices set board_no = null where id = 2')
    const elsewhere = await post(people.platform, id, 'claim', { deviceId: 2, orgId: 3 })
    expect([elsewhere.status, elsewhere.body.errors[0].field]).toEqual([422, 'deviceId'])
    expect((await post(people.platform, id, 'claim', { deviceId: 99 })).status).toBe(404)
    expect(await numbers()).toEqual(['NEW-0004'])
    const { body } = await post(people.platform, id, 'claim', { deviceId: 2 })
    expect(body).toEqual({
      boardNo: 'NEW-0004',
      rtuNumber: 'HD000002',
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const device = await world.one<{ board_no: string; secret_hash: Buffer }>(
      'select board_no, secret_hash from devices where id = 2',
    )
    expect([device.board_no, device.secret_hash.equals(secretHash(body.secret))]).toEqual([
      'NEW-0004',
      true,
    ])
    expect((await board('NEW-0004')).org_id).toBe(4)
    const [log] = await world.rows<{ text: string; org_id: number }>(
      `select to_jsonb(l)::text as text, org_id from operation_logs l where action = 'boards.claim'
        order by id desc limit 1`,
    )
    expect(log?.org_id).toBe(4)
    expect(log?.text).toContain('NEW-0004')
    expect(log?.text).not.toContain(body.secret)
    expect(await numbers()).toEqual([])
  })
  test('registered by other means it leaves the list', async () => {
    await one('NEW-0005')
    expect(
      (await world.send(people.operator, 'POST', '/main-boards', { boardNo: 'NEW-0005' })).status,
    ).toBe(200)
    expect(await world.rows('select 1 from unknown_boards')).toEqual([])
  })
  test('an ignored one is out of sight while it goes on, and may be brought back', async () => {
    const id = await one('NEW-0006')
    expect((await post(people.platform, id, 'ignore')).body).toEqual({ ok: true })
    note('NEW-0006')
    await flush()
    expect([await numbers(), await numbers('?ignored=true')]).toEqual([[], ['NEW-0006']])
    expect((await world.send(people.platform, 'GET', '/main-boards/counts')).body.unknown).toBe(0)
    await post(people.platform, id, 'restore')
    expect(await listed()).toMatchObject([
      { boardNo: 'NEW-0006', tries: 2, can: { claim: true, ignore: true, restore: false } },
    ])
  })
})
