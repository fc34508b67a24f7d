import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import { defineErrors } from '../../shared/errors.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page } from '../../shared/listQuery.ts'
import { machineIds, machineOutcome } from '../../shared/outcome.ts'
import { bi } from '../../shared/text.ts'

export const deviceCommandErrors = defineErrors('deviceCommands', {
  offline: [422001, '设备离线，无法执行', 'The machine is offline: not possible'],
  closed: [422001, '设备已外售或报废，不能操作', 'The device was sold or scrapped'],
  running: [409001, '该操作正在执行，请稍后再试', 'This is being done already, try again later'],
  laneGone: [422001, '该货道没有商品', 'There is no product in this lane'],
  laneFault: [422001, '货道故障，请以维修方式测试', 'The lane has a fault: test it as a repair'],
  laneLocked: [422001, '货道已锁定，不能出货', 'The lane is locked'],
  laneEmpty: [422001, '库存不足', 'Not enough stock'],
  machineBusy: [409001, '设备正在出货，请稍后再试', 'The machine is dispensing, try again later'],
})

export const commandTypes = ['REBOOT', 'LOCK', 'UNLOCK', 'QUERY', 'DOOR'] as const
export const commandStates = ['WAITING', 'SENT', 'ACKED', 'DONE', 'FAILED', 'EXPIRED'] as const

export const CommandRow = z.strictObject({
  cmdId: z.uuid(),
  deviceId: f.id,
  rtuNumber: z.string(),
  type: z.enum(commandTypes),
  state: z.enum(commandStates),
  /** A code of the machine or of the platform (BUSY, NO_RESULT …), or its words. */
  reason: z.string(),
  issuedBy: z.string(),
  issuedAt: f.instant,
  expireAt: f.instant,
  sentAt: f.instant.nullable(),
  ackedAt: f.instant.nullable(),
  finishedAt: f.instant.nullable(),
})
export type CommandRow = z.infer<typeof CommandRow>

const vendStates = ['WAIT', 'SENT', 'ACKED', 'SUCCESS', 'FAILED', 'UNKNOWN', 'VOID'] as const
export const TestVend = z.strictObject({
  orderNum: z.string(),
  road: z.number().int(),
  productName: z.string(),
  state: z.enum(vendStates),
  failReason: z.string().nullable(),
  dropConfirmed: z.boolean(),
  createTime: f.instant,
  sentAt: f.instant.nullable(),
  ackedAt: f.instant.nullable(),
  finishedAt: f.instant.nullable(),
})
export type TestVend = z.infer<typeof TestVend>

const one = z.strictObject({ id: f.id })
const e = deviceCommandErrors
const errors = [e.offline, e.closed, e.running] as const
const many = { ids: machineIds(50, bi('一次最多重启50台设备', 'At most 50 machines at once')) }
const BatchResult = machineOutcome({ cmdId: z.uuid().nullable() })

export const deviceCommands = {
  reboot: write('device:reboot', {
    path: '/devices/{id}/commands/reboot',
    summary: 'Restart a connected machine',
    audit: 'deviceCommands.reboot',
    errors,
    input: one,
    output: CommandRow,
  }),
  lock: write('device:lock', {
    path: '/devices/{id}/commands/lock',
    summary: 'Stop the sales of a connected machine at once; orders that run are completed',
    audit: 'deviceCommands.lock',
    errors,
    input: one,
    output: CommandRow,
  }),
  unlock: write('device:lock', {
    path: '/devices/{id}/commands/unlock',
    summary: 'Sell again, as soon as the machine says so',
    audit: 'deviceCommands.unlock',
    errors,
    input: one,
    output: CommandRow,
  }),
  query: write('device:update', {
    path: '/devices/{id}/commands/query',
    summary: 'Ask a connected machine for its present state; it answers within 10 s',
    audit: { none: 'a question changes nothing' },
    errors,
    input: one,
    output: CommandRow,
  }),
  openDoor: write('device:open-door', {
    path: '/devices/{id}/commands/door',
    summary: 'Open the door of a connected machine',
    audit: 'deviceCommands.openDoor',
    errors,
    input: one,
    output: CommandRow,
  }),
  list: read('device:read', {
    path: '/devices/{id}/commands',
    summary: 'What a machine was told to do, newest first',
    input: listQuery(
      { id: f.id, type: z.enum(commandTypes).optional(), state: z.enum(commandStates).optional() },
      ['issuedAt'],
      '-issuedAt',
    ),
    output: page(CommandRow),
  }),
  get: read('device:read', {
    path: '/device-commands/{cmdId}',
    summary: 'One command, for watching it',
    input: z.strictObject({ cmdId: z.uuid() }),
    output: CommandRow,
  }),
  find: read('device:read', {
    path: '/device-commands',
    summary: 'Commands of a batch, for watching them',
    input: z.strictObject({ cmdIds: z.array(z.uuid()).min(1).max(50) }),
    output: z.strictObject({ list: z.array(CommandRow) }),
  }),
  previewReboots: read('device:reboot', {
    path: '/device-commands/reboots',
    summary: 'Which of the machines can be restarted now',
    input: z.strictObject(many),
    output: BatchResult,
  }),
  rebootMany: write('device:reboot', {
    path: '/device-commands/reboots',
    summary: 'Restart up to 50 machines; those that cannot are named',
    audit: 'deviceCommands.rebootMany',
    input: z.strictObject(many),
    output: BatchResult,
  }),
  testVend: write('device:test', {
    path: '/devices/{id}/lanes/{laneId}/test-vend',
    summary:
      'One piece for nothing, to see that the lane works; `repair` also tests a lane with a fault',
    audit: 'deviceCommands.testVend',
    idempotent: true,
    errors: [
      e.offline,
      e.closed,
      e.laneGone,
      e.laneFault,
      e.laneLocked,
      e.laneEmpty,
      e.machineBusy,
    ],
    input: z.strictObject({ id: f.id, laneId: f.id, repair: z.boolean().default(false) }),
    output: TestVend,
  }),
  testVendState: read('device:test', {
    path: '/devices/{id}/test-vend',
    summary: 'How far the latest test vend of the last hour has come; null when there was none',
    input: one,
    output: z.strictObject({ latest: TestVend.nullable() }),
  }),
}
