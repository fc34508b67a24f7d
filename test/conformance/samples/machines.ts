import { commandId, type World } from '../../support/world.ts'
import { type DomainSamples, own } from './kit.ts'

const config = (volume: number) => ({
  ...{
    tempMin: 2,
    tempMax: 6,
    humMin: 20,
    humMax: 80,
    limitPerOrder: 0,
    limitPerDay: 0,
    lighting: [],
    defog: false,
    volume,
  },
  ...{ reportSeconds: 300, screenOffSeconds: 0, dropSensor: true, autoRefund: true },
})
const volume = () => Math.floor(Math.random() * 100)
/** Nothing of the kind is running any more. */
const idle = (world: World) =>
  world.sql(
    `update device_commands set state = 'DONE', finished_at = now()
      where device_id = ${own} and state in ('WAITING','SENT','ACKED')`,
  )
const told = async (world: World) => {
  await idle(world)
  return { id: own }
}

/** Settings of machines and what they are told to do. */
export const machines: DomainSamples = {
  fieldIds: {
    'device-commands cmdIds': {
      own: (where) => commandId(where),
      none: '00000000-0000-4000-8000-999999999999',
    },
  },
  pathIds: {
    'device-commands cmdId': {
      own: (where) => commandId(where),
      none: '00000000-0000-4000-8000-999999999999',
    },
  },
  samples: {
    'deviceSettings.save': async (world) => {
      const [row] = await world.sql<{ v: number }>(
        `select coalesce(max(config_version), 0) as v from device_configs where device_id = ${own}`,
      )
      return { id: own, version: Number(row?.v), ...config(volume()) }
    },
    'deviceSettings.previewBatch': async () => ({ ids: [own], config: { volume: volume() } }),
    'deviceSettings.saveBatch': async () => ({ ids: [own], config: { volume: volume() } }),
    'deviceCommands.reboot': told,
    'deviceCommands.lock': told,
    'deviceCommands.unlock': told,
    'deviceCommands.query': told,
    'deviceCommands.openDoor': told,
    'deviceCommands.rebootMany': async (world) => {
      await idle(world)
      return { ids: [own] }
    },
    'deviceCommands.testVend': async (world) => {
      await world.sql(
        `update vend_commands set state = 'VOID'
          where device_id = ${own} and state in ('WAIT','SENT','ACKED','UNKNOWN')`,
      )
      return { id: own, laneId: own }
    },
  },
}
