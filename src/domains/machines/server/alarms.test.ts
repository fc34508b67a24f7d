import { afterAll, beforeAll, expect, it } from 'vitest'
import { bySystem } from '../../../server/run.ts'
import { addDevice, openWorld, type World } from '../../devices/server/testWorld.ts'
import { tellFaults } from './alarms.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  await addDevice(world, 1, 3)
  await addDevice(world, 2, 3, { lifecycle: 'PAUSED' })
  await world.rows(`insert into permissions values ('alarm:read', 'device', 'x', 'x', 1) on conflict do nothing`)
  await world.rows(`insert into role_permissions values (903, 'alarm:read'), (904, 'alarm:read'), (907, 'alarm:read')`)
})
afterAll(() => world.close())

it('tells whoever may see alarms of the owner, once per machine, of errors of machines at work', async () => {
  const fault = (device_id: number, code: string, level = 'ERROR') => ({ device_id, code, level })
  const tell = () => bySystem(world.app, (ctx) => tellFaults(ctx, [fault(1, 'MOTOR_NOT_MOVE'), fault(1, 'DOOR'), fault(1, 'MOTOR_NOT_MOVE'), fault(2, 'DOOR')]))
  await bySystem(world.app, (ctx) => tellFaults(ctx, [fault(1, 'SENSOR_FAULT', 'WARN')]))
  expect(await world.rows('select 1 from messages')).toEqual([])
  await tell()
  await tell()
  const rows = await world.rows('select user_id::int, title_zh, body_en, link from messages order by user_id')
  const one = { title_zh: '机器1 出现故障', body_en: 'Machine HD000001: MOTOR_NOT_MOVE, DOOR', link: '/device/device-list?detail=1' }
  expect(rows).toEqual([
    { user_id: 903, ...one },
    { user_id: 907, ...one },
  ])
})
