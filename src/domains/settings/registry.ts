import type { Setting } from './kinds.ts'
import { device, map, rest, stock } from './registryMachines.ts'
import { basic, security } from './registryPlatform.ts'
import { funds, trade } from './registrySales.ts'

/**
 * Every setting of the product. `pending`: the chapter that reads it is not built; registry.test.ts
 * holds the mark against the code, so that no switch on the screen is dead and none that works
 * stays hidden.
 */
export const registry = {
  ...basic,
  ...security,
  ...trade,
  ...funds,
  ...device,
  ...map,
  ...stock,
  ...rest,
} satisfies Record<string, Setting>
export type SettingKey = keyof typeof registry
export type SettingValue<K extends SettingKey> =
  (typeof registry)[K] extends Setting<infer V> ? V : never

export const settingKeys = Object.keys(registry) as readonly SettingKey[]
export const settingOfKey = (key: SettingKey): Setting => registry[key]
/** What the screen shows and a person may change. */
export const shownKeys = settingKeys.filter((key) => !settingOfKey(key).pending)
