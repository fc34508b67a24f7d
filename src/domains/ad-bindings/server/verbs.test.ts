import { afterAll, beforeAll, expect, test } from 'vitest'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { createRandom } from '../../../seed/random.ts'
import { addDevice, openWorld, people, type World } from '../../devices/server/testWorld.ts'
import { spansOf, weekOf } from '../../program-groups/rules.ts'
import { turnBindings } from './jobs.ts'

const codes = ['read', 'create', 'update', 'delete', 'review', 'interrupt']
  .map((act) => `ad-binding:${act}`)
  .concat('program-group:read', 'program-group:update', 'program-group:delete')
let world: World
const devices: number[] = []
const groups: Record<string, number> = {}
beforeAll(async () => {
  world = await openWorld()
  await addPermissions(world.sql, codes)
  await grant(world.sql, [901, 902, 903, 904, 905], codes)
  for (const [id, org] of [
    [501, 3],
    [502, 3],
    [503, 3],
    [504, 3],
    [505, 4],
  ] as const) {
    await addDevice(world, id, org)
    devices.push(id)
  }
  for (const [name, org, state, until] of [
    ['agent', 2, 'APPROVED', null],
    ['operator', 3, 'APPROVED', null],
    ['ending', 3, 'APPROVED', '2026-12-01'],
    ['pending', 3, 'PENDING', null],
    ['platform', 1, 'APPROVED', null],
  ] as const) {
    const { id } = await world.one<{ id: number }>(
      `with m as (insert into ad_materials (org_id, name, kind, file, sha256, bytes, width, height,
          state, valid_until)
        values ($1, $2, 'IMAGE', 'files/' || $2 || '.png', $3, 9, 6, 4, $4, $5::date) returning id),
      c as (insert into ad_creatives (org_id, material_id, title, seconds)
        select $1, id, $2, 8 from m returning id),
      g as (insert into program_groups (org_id, name, slot_kind, state) values
        ($1, $2, 'FULL', 'ENABLED') returning id)
      insert into program_group_items (group_id, org_id, position, creative_id, seconds)
        select g.id, $1, 1, c.id, 8 from g, c returning group_id as id`,
      [
        org,
        name,
        String(org).padStart(60, '0') +
          name
            .slice(0, 1)
            .replace(/[^a-f]/, '0')
            .padEnd(4, String(name.length % 10)),
        state,
        until,
      ],
    )
    groups[name] = id
  }
})
afterAll(() => world.close())

const plan = (change: Record<string, unknown> = {}) => ({
  ...{ groupId: groups.operator, deviceIds: [devices[0]] },
  ...{ dateFrom: '2026-11-23', dateTo: '2026-12-20' },
  windows: [{ from: '08:00', to: '10:00' }],
  ...change,
})
const create = (user: number, change: Record<string, unknown> = {}) =>
  world.send(user, 'POST', '/ad-bindings', plan(change))
const bar = async (device: number, date: string, user = people.operator) =>
  (
    await world.send(user, 'GET', `/ad-bindings/timeline?deviceId=${device}&date=${date}`)
  ).body.slots[0].pieces.map((piece: { from: number; to: number; rank: string }) =>
    [piece.from, piece.to, piece.rank].join(' '),
  )

test.each([
  [{ dateTo: '2026-11-22' }, 'dateTo', '结束时间必须晚于开始时间'],
  [{ dateFrom: '2026-11-01', dateTo: '2026-11-20' }, 'dateTo'],
  [{ dateTo: undefined }, 'dateTo', '结束时间不能为空'],
  [{ deviceIds: [] }, 'deviceIds', '请至少选择一台设备'],
  [{ weekdays: [] }, 'weekdays', '请选择投放星期'],
  [{ weekdays: [1, 1] }, 'weekdays'],
  [{ windows: [{ from: '08:00', to: '08:00' }] }, 'windows.0.to', '结束时间必须晚于开始时间'],
  [{ groupId: 987_654 }, 'groupId', '请选择广告创意'],
] as [Record<string, unknown>, string, string?][])('%o', async (change, field, message) => {
  const { status, body } = await create(people.operator, change)
  expect([status >= 400 && status < 500, body.errors[0].field]).toEqual([true, field])
  if (message) expect(body.errors[0].message).toContain(message)
})

test('what may not play is not bound, and nobody binds machines of others', async () => {
  const wrong = async (user: number, change: object) =>
    (await create(user, { ...change })).body.error
  expect(await wrong(people.operator, { groupId: groups.pending })).toBe('adBindings.unapproved')
  expect(await wrong(people.operator, { groupId: groups.ending })).toBe('adBindings.endsBefore')
  expect(await wrong(people.operator, { deviceIds: [devices[4]] })).toBe('adBindings.devices')
  expect(await wrong(people.operator, { groupId: groups.agent })).toBe('adBindings.group')
  expect(await wrong(people.agent, { deviceIds: [devices[0], devices[4]] })).toBe(
    'adBindings.devices',
  )
  // the group of the agent may be on machines of all below him
  const ok = await create(people.agent, {
    ...{ groupId: groups.agent, deviceIds: [devices[3], devices[4]] },
  })
  expect(ok.body).toMatchObject({ deviceCount: 2, state: 'DRAFT', orgId: 2 })
})

test('its life, and what its machine plays meanwhile', async () => {
  const { body } = await create(people.operator)
  const url = `/ad-bindings/${body.id}`
  const act = (user: number, name: string, version: number, more = {}) =>
    world.send(user, 'POST', `${url}/${name}`, { version, ...more })
  const device = devices[0] as number
  const empty = ['0 1440 BUILT_IN']
  expect(await bar(device, '2026-11-23')).toEqual(empty)
  expect((await act(people.operator, 'pause', 1)).body.error).toBe('adBindings.wrongState')
  expect((await act(people.operator, 'submit', 1)).body.state).toBe('PENDING')
  expect((await act(people.operator, 'review', 2, { approve: true })).body.error).toBe(
    'adBindings.ownReview',
  )
  expect((await act(people.sibling, 'review', 2, { approve: true })).status).toBe(404)
  expect((await act(people.agent, 'review', 2, { approve: false })).body.errors[0].field).toBe(
    'reason',
  )
  expect((await act(people.agent, 'review', 2, { approve: true })).body.state).toBe('SCHEDULED')
  const bound = ['0 480 BUILT_IN', '480 600 BOUND', '600 1440 BUILT_IN']
  expect(await bar(device, '2026-11-23')).toEqual(bound)
  // tomorrow it begins by itself
  const later = (day: string) =>
    turnBindings({ ...world.app, now: () => new Date(`${day}T01:00:00Z`) })
  await later('2026-11-23')
  const list = async () =>
    (await world.send(people.operator, 'GET', `/ad-bindings?groupId=${groups.operator}`)).body
      .list[0]
  expect((await list()).state).toBe('RUNNING')
  const { version } = await list()
  expect((await act(people.operator, 'pause', version)).body.state).toBe('PAUSED')
  expect(await bar(device, '2026-11-23')).toEqual(empty)
  // paused, it keeps its hours
  expect((await create(people.operator)).body.error).toBe('adBindings.overlap')
  expect((await act(people.operator, 'resume', version + 1)).body.state).toBe('RUNNING')
  const cut = await world.send(people.operator, 'POST', '/ad-bindings/interrupt', {
    ...{ groupId: groups.operator, deviceIds: [device] },
    ...{ startsAt: '2026-11-23T01:30:00Z', endsAt: '2026-11-23T01:45:00Z' },
  })
  expect(cut.body).toMatchObject({ state: 'SCHEDULED', priority: 'INTERRUPT' })
  expect(await bar(device, '2026-11-23')).toEqual([
    ...['0 480 BUILT_IN', '480 570 BOUND', '570 585 INTERRUPT', '585 600 BOUND'],
    '600 1440 BUILT_IN',
  ])
  const conflicts = await world.send(
    people.operator,
    'POST',
    '/ad-bindings/check-conflicts',
    plan(),
  )
  expect(conflicts.body.list[0]).toMatchObject({ deviceId: device, bindingId: body.id })
  await later('2026-12-21')
  expect((await list()).state).toBe('ENDED')
  expect((await create(people.operator)).status).toBe(200)
})

test('an interruption lasts a day at most', async () => {
  const wrong = await world.send(people.operator, 'POST', '/ad-bindings/interrupt', {
    ...{ groupId: groups.operator, deviceIds: [devices[0]] },
    ...{ startsAt: '2026-11-23T00:00:00Z', endsAt: '2026-11-24T00:01:00Z' },
  })
  expect(wrong.body.error).toBe('adBindings.tooLong')
})

test('a group that changes its hours takes its bindings along, unless they would meet others', async () => {
  const device = 507
  await addDevice(world, device, 3)
  const on = { deviceIds: [device] }
  expect(
    (await create(people.operator, { ...on, windows: [{ from: '20:00', to: '22:00' }] })).status,
  ).toBe(200)
  await world.sql(`update program_groups set windows = '{[480,600)}' where id = $1`, [
    groups.operator,
  ])
  const { body } = await create(people.operator, { ...on, windows: null })
  expect(body.windows).toEqual([{ from: '08:00', to: '10:00' }])
  const items = await world.rows(
    `select creative_id as "creativeId", seconds from program_group_items where group_id = $1`,
    [groups.operator],
  )
  const save = (change: object) =>
    world.send(people.operator, 'PUT', `/program-groups/${groups.operator}`, {
      ...{ version: 1, name: 'operator', slotKind: 'FULL', items },
      ...change,
    })
  const meets = await save({ windows: [{ from: '21:59', to: '23:00' }] })
  expect(meets.body.error).toBe('programGroups.overlap')
  expect((await save({ slotKind: 'HALF' })).body.error).toBe('programGroups.inUse')
  expect((await save({ windows: [{ from: '22:00', to: '01:00' }] })).status).toBe(200)
  const row = (await world.send(people.operator, 'GET', `/ad-bindings?deviceId=${device}`)).body
    .list[0]
  expect(row.windows).toEqual([
    { from: '00:00', to: '01:00' },
    { from: '22:00', to: '24:00' },
  ])
  const stop = await world.send(
    people.operator,
    'POST',
    `/program-groups/${groups.operator}/disable`,
    { version: 2 },
  )
  expect(stop.body.error).toBe('programGroups.inUse')
  const gone = await world.send(
    people.operator,
    'DELETE',
    `/program-groups/${groups.operator}?version=2`,
  )
  expect(gone.body.error).toBe('programGroups.inUse')
})

test('a machine that goes to another owner leaves what it was bound to', async () => {
  const device = 506
  await addDevice(world, device, 3)
  await create(people.operator, { deviceIds: [device] })
  await world.sql('update devices set org_id = 4 where id = $1', [device])
  expect(
    await world.rows('select 1 from ad_binding_devices where device_id = $1', [device]),
  ).toEqual([])
})

test('the database refuses what meets, whoever writes it', async () => {
  await world.sql('delete from ad_bindings')
  const { body } = await create(people.operator, { deviceIds: [502] })
  const copy = (week: string, days: string, holds: boolean) =>
    world
      .sql(
        `with b as (insert into ad_bindings (org_id, group_id, slot_kind, date_from, date_to, windows)
          select org_id, group_id, slot_kind, date_from, date_to, windows from ad_bindings
            where id = $1 returning id)
        insert into ad_binding_devices (binding_id, org_id, device_id, slot_kind, group_id,
            priority, days, week, holds)
          select b.id, x.org_id, x.device_id, x.slot_kind, x.group_id, x.priority,
            $2::daterange, $3::int4multirange, $4
          from ad_binding_devices x, b where x.binding_id = $1`,
        [body.id, days, week, holds],
      )
      .then(
        () => 'written',
        (error: { constraint: string }) => error.constraint,
      )
  const days = '[2026-12-20,2027-01-01)'
  // every day from 08:00 to 10:00, until the 20th
  expect(await copy('{[0,480),[600,700)}', days, true)).toBe('written')
  expect(await copy('{[599,600)}', days, true)).toBe('ad_bindings_meet')
  expect(await copy('{[6359,6400)}', days, true)).toBe('ad_bindings_meet')
  expect(await copy('{[599,600)}', '[2026-12-21,2027-01-01)', true)).toBe('written')
  expect(await copy('{[599,600)}', days, false)).toBe('written')
})

test('no two normal bindings of a slot ever meet on a machine, whoever writes at once', async () => {
  await world.sql('delete from ad_bindings')
  const seed = process.env.MODEL_SEED ?? String(Date.now())
  const random = createRandom(`bindings ${seed}`)
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  const day = (n: number) => new Date(Date.UTC(2026, 11, 1 + n)).toISOString().slice(0, 10)
  const wishes = Array.from({ length: Number(process.env.AD_BINDINGS ?? 240) }, () => {
    const from = random.int(0, 60)
    // quarters of an hour, so that many touch; over midnight too
    const start = random.int(0, 95) * 15
    const long = random.int(1, 24) * 15
    return {
      ...{ dateFrom: day(from), dateTo: day(from + random.int(0, 20)) },
      weekdays: [1, 2, 3, 4, 5, 6, 7].filter(() => random.chance(0.4)).concat([]),
      windows: [{ from: clock(start), to: clock((start + long) % 1440) }],
      deviceIds: devices.slice(0, 4).filter(() => random.chance(0.4)),
    }
  }).filter(({ weekdays, deviceIds }) => weekdays.length && deviceIds.length)
  const made: typeof wishes = []
  const refused: typeof wishes = []
  const queue = [...wishes]
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let wish = queue.pop(); wish; wish = queue.pop()) {
        const { status, body } = await create(people.operator, wish)
        if (status === 200) made.push(wish)
        else {
          expect([seed, body.error]).toEqual([seed, 'adBindings.overlap'])
          refused.push(wish)
        }
      }
    }),
  )
  type Wish = (typeof wishes)[number]
  const week = (wish: Wish) => weekOf(wish.weekdays, spansOf(wish.windows))
  const meet = (a: Wish, b: Wish) =>
    a.deviceIds.some((id) => b.deviceIds.includes(id)) &&
    a.dateFrom <= b.dateTo &&
    b.dateFrom <= a.dateTo &&
    week(a).some(([from, to]) => week(b).some(([start, end]) => from < end && start < to))
  for (const [i, a] of made.entries())
    for (const b of made.slice(i + 1))
      if (meet(a, b)) expect.fail(`MODEL_SEED=${seed}: ${JSON.stringify([a, b])}`)
  // and nothing is refused that would have had room
  for (const wish of refused)
    if (!made.some((other) => meet(wish, other)))
      expect.fail(`MODEL_SEED=${seed}: refused ${JSON.stringify(wish)}`)
  expect([made.length > 20, refused.length > 20]).toEqual([true, true])
}, 600_000)
