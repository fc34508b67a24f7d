import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../../server/context.ts'
import { perApp } from '../../../server/perApp.ts'
import { mostPerSecond } from '../rules.ts'
import type { Splits } from './channels.ts'
import { connectedTo } from './configs.ts'
import { simulatedSplits } from './splitSimulator.ts'

/** Who pays receivers: the merchant that was paid, or the simulator. Null: nobody knows it. */
export async function splitsOf(app: App, configId: number | null): Promise<Splits | null> {
  if (configId === null) return simulatedSplits(app)
  return (await connectedTo(app, configId))?.channel.splits ?? null
}

const turnsOf = perApp(() => new Map<number, number>())
/** Waits until the merchant may ask again: all calls of this process take turns. */
export async function paced(app: App, configId: number | null): Promise<void> {
  if (configId === null) return
  const turns = turnsOf(app)
  const now = performance.now()
  const at = Math.max(now, turns.get(configId) ?? 0)
  turns.set(configId, at + 1000 / mostPerSecond)
  if (at > now) await sleep(at - now)
}
