import type { App } from '../../../server/context.ts'
import type { VendOut } from '../../orders/server/vend.ts'
import type { Command } from '../protocol.ts'
import type { Link } from './link.ts'

type TakeCommands = (app: App, deviceIds: readonly number[]) => Promise<VendOut[]>

/** Sends commands that are due to machines that are connected now; nothing is queued for the others. */
export function openPump(app: App, link: Link, takeCommands: TakeCommands): () => Promise<void> {
  return async () => {
    const machines = new Map(link.connected().map((machine) => [machine.id, machine]))
    if (machines.size === 0) return
    for (const out of await takeCommands(app, [...machines.keys()])) {
      const machine = machines.get(out.deviceId)
      const command: Command = {
        cmdId: out.cmdId,
        orderNo: out.orderNum,
        unit: out.unitNo,
        lane: out.road,
        motor: out.motorNo,
        qty: 1,
        issuedAt: out.issuedAt.getTime(),
        expireAt: out.expireAt.getTime(),
      }
      // a machine that went away meanwhile gets it again by the resend of the same command id
      if (machine) link.send(machine, out.kind, command)
    }
  }
}
