import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may } from '../../../server/context.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { outcomeOf } from '../../../shared/outcome.ts'
import { say } from '../../../shared/text.ts'
import { lockMachines } from '../../boards/server/binding.ts'
import { isClosed } from '../../machines/rules.ts'
import { want } from '../../machines/server/shadows.ts'
import {
  type BatchResult,
  type Config,
  type ConfigPatch,
  type DeviceConfig,
  type deviceSettings,
  deviceSettingsErrors,
} from '../contract.ts'
import {
  configRule,
  forbiddenLimits,
  merged,
  type Storage,
  sameConfig,
  type Wrong,
} from '../rules.ts'
import * as q from './queries.ts'

type Contract = typeof deviceSettings

async function shown(ctx: Ctx, id: number): Promise<DeviceConfig> {
  const { id: deviceId, orgId, kind, lifecycle, ...device } = found((await q.devices(ctx, [id]))[0])
  const update = may(ctx, 'device:config') && !isClosed({ lifecycle })
  return {
    deviceId,
    ...device,
    sync: await q.syncOfDevice(ctx, id),
    storage: kind === 'DRUG' ? ((await q.storageOf(ctx, [id])).get(id) ?? []) : [],
    can: { update, limits: update && may(ctx, 'device:limit') },
  }
}

/** Writes versions and says that the machines should have them. */
async function write(
  ctx: Ctx,
  rows: readonly { device: q.Device; config: Config }[],
): Promise<void> {
  if (rows.length === 0) return
  if (!(await q.addVersions(ctx, rows))) throw new Refusal(common.stale)
  await want(
    ctx,
    'CONFIG',
    rows.map(({ device }) => ({
      deviceId: device.id,
      orgId: device.orgId,
      version: device.version + 1,
    })),
  )
  ctx.touch('devices')
}

const save: Handlers<Contract>['save'] = async (ctx, { id, version, ...config }) => {
  await lockMachines(ctx, [id])
  const device = found((await q.devices(ctx, [id]))[0])
  if (isClosed(device)) throw new Refusal(deviceSettingsErrors.closed)
  if (device.version !== version) throw new Refusal(common.stale)
  const forbidden = forbiddenLimits(may(ctx, 'device:limit'), device.config, config)
  if (forbidden.length) throw fieldRefusal(common.forbidden, forbidden)
  const wrong = configRule(device, config, (await q.storageOf(ctx, [id])).get(id) ?? [])
  if (wrong) throw fieldRefusal(wrong.def, wrong.field, wrong.values)
  // saving what is there already asks the machine for nothing
  if (device.version === 0 || !sameConfig(device.config, config))
    await write(ctx, [{ device, config }])
  ctx.audit({
    id,
    name: device.rtuNumber,
    before: device.config,
    after: config,
    orgId: device.orgId,
  })
  return shown(ctx, id)
}

type Judged = { device: q.Device; config: Config; refusal: string | null; changed: boolean }

/** Each machine with what the patch makes of its settings, or why it stays as it is. */
async function judge(ctx: Ctx, ids: readonly number[], patch: ConfigPatch): Promise<Judged[]> {
  const devices = await q.devices(ctx, ids)
  if (devices.length < new Set(ids).size) throw new Refusal(common.notFound)
  const storage = await q.storageOf(ctx, ids)
  return devices.map((device) => {
    const config = merged(device.config, patch)
    return {
      device,
      config,
      refusal: refusalOf(ctx, device, config, storage.get(device.id) ?? []),
      changed: !sameConfig(device.config, config),
    }
  })
}

function refusalOf(
  ctx: Ctx,
  device: q.Device,
  config: Config,
  storage: readonly Storage[],
): string | null {
  if (isClosed(device)) return say(deviceSettingsErrors.closed.text, ctx.lang)
  if (forbiddenLimits(may(ctx, 'device:limit'), device.config, config).length)
    return say(common.forbidden.text, ctx.lang)
  const wrong: Wrong | null = configRule(device, config, storage)
  return wrong && say(wrong.def.text, ctx.lang, wrong.values)
}

const resultOf = (judged: readonly Judged[]): BatchResult =>
  outcomeOf(
    judged.map(({ device: { id, rtuNumber, nickname }, refusal, changed }) => {
      const ok = refusal === null
      return { id, rtuNumber, nickname, ok, changed: ok && changed, reason: refusal ?? '' }
    }),
  )

const saveBatch: Handlers<Contract>['saveBatch'] = async (ctx, input) => {
  await lockMachines(ctx, input.ids)
  const judged = await judge(ctx, input.ids, input.config)
  await write(
    ctx,
    judged.filter((row) => row.refusal === null && row.changed),
  )
  const fine = judged.filter((row) => row.refusal === null)
  ctx.audit(
    ...fine.map(({ device, config }) => ({
      id: device.id,
      name: device.rtuNumber,
      before: device.config,
      after: config,
      orgId: device.orgId,
    })),
  )
  return resultOf(judged)
}

/**
 * A form of the device that changes its sensor or its refunds changes the settings in force, once
 * there are any.
 */
export async function mirrorFlags(
  ctx: Ctx,
  deviceId: number,
  flags: Pick<Config, 'dropSensor' | 'autoRefund'>,
): Promise<void> {
  const device = found((await q.devices(ctx, [deviceId]))[0])
  const config = merged(device.config, flags)
  if (device.version > 0 && !sameConfig(device.config, config))
    await write(ctx, [{ device, config }])
}

export const handlers: Handlers<Contract> = {
  get: (ctx, input) => shown(ctx, input.id),
  save,
  previewBatch: async (ctx, input) => resultOf(await judge(ctx, input.ids, input.config)),
  saveBatch,
  versions: async (ctx, input) => {
    found((await q.devices(ctx, [input.id]))[0])
    return q.versionRows(ctx, input)
  },
  syncs: (ctx, input) => q.syncRows(ctx, input),
}
