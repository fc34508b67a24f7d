import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addPermissions, grant } from '../../../../test/factories/things.ts'
import { addDays } from '../../../shared/instants.ts'
import { addDevice, openWorld, people, type World } from '../../products/server/testWorld.ts'
import { watchDrugLicences } from './licences.ts'

const start = '2026-11-21'
let day = start
let world: World
beforeAll(async () => {
  world = await openWorld()
  Object.assign(world.app, { now: () => new Date(`${day}T00:00:00Z`) })
  await addPermissions(world.sql, ['device:update', 'user:update'])
  await grant(world.sql, [902, 903], ['device:update', 'user:update'])
})
afterAll(() => world.close())
beforeEach(async () => {
  day = start
  await world.sql('delete from messages')
  await world.sql('delete from pharmacists')
  await world.sql('update devices set licence_until = null')
})
const heard = async () =>
  (
    await world.sql<{ said: string }>(
      `select user_id || ' ' || title_zh as said from messages order by id`,
    )
  ).map((row) => row.said)
/** What people hear so many days later; asked twice, they hear it once. */
async function at(later: number): Promise<string[]> {
  day = addDays(start, later)
  await world.sql('delete from messages')
  await watchDrugLicences(world.app)
  const once = await heard()
  await watchDrugLicences(world.app)
  expect(await heard()).toEqual(once)
  return once
}
let machines = 0
async function machine(
  days: number,
  licenceNo = 'L1',
  kind: 'DRUG' | 'GENERAL' = 'DRUG',
  more = 'remark = remark',
) {
  machines += 1
  await addDevice(world, machines, 3, kind, kind === 'DRUG' ? 'UNATTENDED' : null)
  await world.sql(`update devices set licence_no = $2, licence_until = $3, ${more} where id = $1`, [
    machines,
    licenceNo,
    addDays(start, days),
  ])
}

test('machines under one licence are one message; 30, 7 and 1 days before, and when it has ended', async () => {
  for (let n = 0; n < 7; n += 1) await machine(40)
  await machine(40, 'L2')
  // neither sells drugs
  await machine(40, 'L3', 'GENERAL')
  await machine(40, 'L4', 'DRUG', `lifecycle = 'SCRAPPED'`)
  const both = (text: string) => [`903 售药机许可证 L1 ${text}`, `903 售药机许可证 L2 ${text}`]
  expect(await at(9)).toEqual([])
  expect(await at(10)).toEqual(both('还有 30 天到期'))
  const [first] = await world.sql('select link, body_zh, title_en from messages order by id')
  expect(first).toMatchObject({
    link: '/device/device-list?kind=DRUG',
    title_en: 'Drug licence L1 of machines ends in 30 days',
  })
  expect((first as { body_zh: string }).body_zh).toMatch(/涉及 7 台设备（(\w+, ){4}\w+ …）/)
  expect(await at(34)).toEqual(both('还有 6 天到期'))
  expect(await at(39)).toEqual(both('还有 1 天到期'))
  expect(await at(40)).toEqual([])
  expect(await at(41)).toEqual(both('已过期'))
  expect(await at(60)).toEqual([])
  // a new licence ends, too
  await world.sql(`update devices set licence_until = $1 where licence_no = 'L2'`, [
    addDays(start, 100),
  ])
  expect(await at(99)).toEqual(['903 售药机许可证 L2 还有 1 天到期'])
  expect(await at(100)).toEqual([])
})

test('a pharmacist hears it himself, and so does who may enter a new licence', async () => {
  await world.sql(
    `insert into pharmacists (user_id, org_id, licence_no, valid_until)
      values ($1, 3, 'PH00000000000', $2)`,
    [900 + people.operator, addDays(start, 7)],
  )
  const named = await at(0)
  expect(named.map((said) => said.replace(/“.*”/, ''))).toEqual([
    `${900 + people.operator} 药师的注册证还有 7 天到期`,
    '903 药师的注册证还有 7 天到期',
  ])
  expect((await at(7)).map((said) => said.split('”')[1])).toEqual([
    '的注册证今天到期',
    '的注册证今天到期',
  ])
  expect(await at(8)).toHaveLength(2)
  await world.sql('delete from pharmacists')
  expect(await at(9)).toEqual([])
})
