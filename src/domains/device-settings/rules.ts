import type { ErrorDef } from '../../shared/errors.ts'
import { keptWithin, usualTemperature } from '../drug-guard/rules.ts'
import { type Config, type ConfigPatch, deviceSettingsErrors } from './contract.ts'

type Type = { readonly refrigeration: boolean; readonly kind: string }
export type Storage = {
  readonly product: string
  readonly min: number | null
  readonly max: number | null
}

/** What holds while nobody has set anything; sensor and refund are the device's own until then. */
export const defaultConfig = (
  device: Type & { readonly dropSensor: boolean; readonly autoRefund: boolean },
): Config => ({
  tempMin: device.refrigeration ? usualTemperature.min : null,
  tempMax: device.refrigeration ? usualTemperature.max : null,
  humMin: 20,
  humMax: 80,
  limitPerOrder: 0,
  limitPerDay: 0,
  lighting: [{ from: '06:00', to: '23:00' }],
  defog: false,
  volume: 60,
  reportSeconds: 300,
  screenOffSeconds: 600,
  dropSensor: device.dropSensor,
  autoRefund: device.autoRefund,
})

/** Only what the patch names changes. */
export const merged = (config: Config, patch: ConfigPatch): Config => ({
  ...config,
  ...(patch as Partial<Config>),
})

/** Windows come from the database with their fields in another order. */
const comparable = ({ lighting, ...rest }: Config) => ({
  ...rest,
  lighting: lighting.map(({ from, to }) => `${from}-${to}`).join(' '),
})

export function sameConfig(a: Config, b: Config): boolean {
  const [left, right] = [comparable(a), comparable(b)]
  return (Object.keys(left) as (keyof Config)[]).every((key) => left[key] === right[key])
}

export type Wrong = {
  readonly def: ErrorDef
  readonly field: keyof Config
  readonly values?: Record<string, string>
}

/**
 * Why these settings are not for this machine; null when they are. The shape of each value is the
 * contract's to check.
 */
export function configRule(type: Type, config: Config, storage: readonly Storage[]): Wrong | null {
  const { tempMin, tempMax } = config
  if (type.refrigeration) {
    if (tempMin === null) return { def: deviceSettingsErrors.tempMissing, field: 'tempMin' }
    if (tempMax === null) return { def: deviceSettingsErrors.tempMissing, field: 'tempMax' }
    if (tempMin > tempMax) return { def: deviceSettingsErrors.tempOrder, field: 'tempMin' }
  } else if (tempMin !== null || tempMax !== null)
    return {
      def: deviceSettingsErrors.tempNotHere,
      field: tempMin === null ? 'tempMax' : 'tempMin',
    }
  if (config.humMin > config.humMax) return { def: deviceSettingsErrors.humOrder, field: 'humMin' }
  const outside = outsideStorage(type, config, storage)
  if (outside.length)
    return {
      def: deviceSettingsErrors.outsideStorage,
      field: 'tempMin',
      values: { products: outside.join('、') },
    }
  return null
}

/** Products of a drug machine that the limits would allow to become too cold or too warm. */
export function outsideStorage(
  type: Type,
  { tempMin, tempMax }: Pick<Config, 'tempMin' | 'tempMax'>,
  storage: readonly Storage[],
): string[] {
  if (type.kind !== 'DRUG' || tempMin === null || tempMax === null) return []
  const outside = storage.filter(
    ({ min, max }) => !keptWithin({ tempMin: min, tempMax: max }, { tempMin, tempMax }),
  )
  return [...new Set(outside.map(({ product }) => product))]
}

/**
 * A repairer sets the machine, not what people may buy (core.md, device settings): that is a right
 * of its own.
 */
export const limitFields = ['limitPerOrder', 'limitPerDay'] as const
export const forbiddenLimits = (
  mayLimit: boolean,
  before: Config,
  after: Config,
): (keyof Config)[] =>
  mayLimit ? [] : limitFields.filter((field) => before[field] !== after[field])
