import { randomUUID } from 'node:crypto'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found } from '../../../server/context.ts'
import type { Output } from '../../../shared/contract.ts'
import { common, type ErrorDef, Refusal, reject } from '../../../shared/errors.ts'
import { outcomeOf, resultOf } from '../../../shared/outcome.ts'
import { lockMachines } from '../../boards/server/binding.ts'
import { isClosed } from '../../machines/rules.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type CommandRow, deviceCommandErrors, type deviceCommands } from '../contract.ts'
import { type CommandType, commandSeconds } from '../rules.ts'
import * as q from './queries.ts'
import { testVend, testVendState } from './testVend.ts'

type Contract = typeof deviceCommands

/** Why a machine cannot be told this now; null when it can. */
function refusalOf(device: q.Device, running: ReadonlySet<number>): ErrorDef | null {
  if (isClosed(device)) return deviceCommandErrors.closed
  if (!device.online) return deviceCommandErrors.offline
  return running.has(device.id) ? deviceCommandErrors.running : null
}

type Judged = { device: q.Device; refusal: ErrorDef | null }
async function judge(ctx: Ctx, type: CommandType, ids: readonly number[]): Promise<Judged[]> {
  const devices = await q.devices(ctx, ids)
  if (devices.length < new Set(ids).size) throw new Refusal(common.notFound)
  const running = await q.running(ctx, type, ids)
  return devices.map((device) => ({ device, refusal: refusalOf(device, running) }))
}

/** Writes commands; the gateway sends them as soon as they are committed. */
async function issue(
  ctx: Ctx,
  type: CommandType,
  devices: readonly q.Device[],
): Promise<Map<number, string>> {
  const ids = new Map(devices.map((device) => [device.id, randomUUID() as string]))
  await q.addCommands(
    ctx,
    devices.map((device) => ({ device, cmdId: ids.get(device.id) as string })),
    type,
    new Date(ctx.now.getTime() + commandSeconds[type].accept * 1000),
  )
  await noteDevice(
    ctx,
    devices.map((device) => ({
      deviceId: device.id,
      orgId: device.orgId,
      kind: 'COMMAND',
      data: { cmdId: ids.get(device.id), type },
    })),
  )
  ctx.touch('commands')
  return ids
}

async function tell(ctx: Ctx, type: CommandType, id: number): Promise<CommandRow> {
  await lockMachines(ctx, [id])
  const [judged] = await judge(ctx, type, [id])
  const { device, refusal } = found(judged)
  reject(refusal)
  // sales stop here and now; whether the machine shows it is another matter
  if (type === 'LOCK') await q.lockSales(ctx, id)
  const cmdId = (await issue(ctx, type, [device])).get(id) as string
  if (type !== 'QUERY')
    ctx.audit({ id, name: device.rtuNumber, after: { type, cmdId }, orgId: device.orgId })
  return found(await q.command(ctx, cmdId))
}

type Batch = Output<Contract['rebootMany']>
const batchOf = (ctx: Ctx, judged: readonly Judged[], ids: ReadonlyMap<number, string>): Batch =>
  outcomeOf(
    judged.map(({ device, refusal }) => ({
      ...resultOf(device, ctx.lang, refusal),
      cmdId: ids.get(device.id) ?? null,
    })),
  )

const rebootMany: Handlers<Contract>['rebootMany'] = async (ctx, input) => {
  await lockMachines(ctx, input.ids)
  const judged = await judge(ctx, 'REBOOT', input.ids)
  const able = judged.filter((row) => row.refusal === null).map((row) => row.device)
  const told = await issue(ctx, 'REBOOT', able)
  ctx.audit(
    ...able.map(({ id, rtuNumber: name, orgId }) => ({
      id,
      name,
      after: { cmdId: told.get(id) },
      orgId,
    })),
  )
  return batchOf(ctx, judged, told)
}

export const handlers: Handlers<Contract> = {
  reboot: (ctx, input) => tell(ctx, 'REBOOT', input.id),
  lock: (ctx, input) => tell(ctx, 'LOCK', input.id),
  unlock: (ctx, input) => tell(ctx, 'UNLOCK', input.id),
  query: (ctx, input) => tell(ctx, 'QUERY', input.id),
  openDoor: (ctx, input) => tell(ctx, 'DOOR', input.id),
  list: async (ctx, input) => {
    found((await q.devices(ctx, [input.id]))[0])
    return q.commandRows(ctx, input)
  },
  get: async (ctx, input) => found(await q.command(ctx, input.cmdId)),
  find: async (ctx, input) => ({ list: await q.commands(ctx, input.cmdIds) }),
  previewReboots: async (ctx, input) =>
    batchOf(ctx, await judge(ctx, 'REBOOT', input.ids), new Map()),
  rebootMany,
  testVend,
  testVendState,
}
