import type { App, Ctx } from '../../../server/context.ts'
import type { CommandType, Control } from '../protocol.ts'
import type { Link } from './link.ts'

/** Commands of people to a machine (restart, lock …): what leaves, and what comes back. */
export type ControlOut = { readonly deviceId: number; readonly cmdId: string; readonly type: CommandType; readonly issuedAt: Date; readonly expireAt: Date }
export type ControlFact = {
  readonly deviceId: number
  readonly cmdId: string
  readonly word: { readonly kind: 'ack'; readonly ack: string } | { readonly kind: 'result'; readonly ok: boolean; readonly reason: string }
}
export type RecordControls = (ctx: Ctx, facts: readonly ControlFact[]) => Promise<void>
type TakeControls = (app: App, deviceIds: readonly number[]) => Promise<ControlOut[]>

/** Sends commands that are due to machines that are connected now; nothing is queued for the others. */
export function openControlPump(app: App, link: Link, takeControls: TakeControls): () => Promise<void> {
  return async () => {
    const machines = new Map(link.connected().map((machine) => [machine.id, machine]))
    if (machines.size === 0) return
    for (const { deviceId, cmdId, type, issuedAt, expireAt } of await takeControls(app, [...machines.keys()])) {
      const machine = machines.get(deviceId)
      const control: Control = { cmdId, type, issuedAt: issuedAt.getTime(), expireAt: expireAt.getTime() }
      if (machine) link.send(machine, 'command', control)
    }
  }
}
