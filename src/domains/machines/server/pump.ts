import type { App } from '../../../server/context.ts'
import type { Command, DownKind } from '../protocol.ts'
import type { Machine } from './identity.ts'
import type { Link } from './link.ts'
import type { VendOut } from './vending.ts'

type Message = readonly [kind: DownKind, body: object]

/** The machines that are connected now, by their id. */
export const inReach = (link: Link): Map<number, Machine> =>
  new Map(link.connected().map((machine) => [machine.id, machine]))

/**
 * Sends commands that are due to machines that are connected now; nothing is queued for the others.
 */
export function openPump<Out extends { readonly deviceId: number }>(
  app: App,
  link: Link,
  take: (app: App, deviceIds: readonly number[]) => Promise<readonly Out[]>,
  messageOf: (out: Out) => Message,
): { turn(): Promise<void>; behind(): number } {
  let current = performance.now()
  return {
    async turn() {
      const began = performance.now()
      const machines = inReach(link)
      for (const out of machines.size ? await take(app, [...machines.keys()]) : []) {
        const machine = machines.get(out.deviceId)
        // a machine that went away meanwhile gets it again by the resend of the same command id
        if (machine) link.send(machine, ...messageOf(out))
      }
      current = began
    },
    /** How old what it has not sent yet may be, in milliseconds. */
    behind: () => performance.now() - current,
  }
}

export function vendMessage(out: VendOut): Message {
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
  return [out.kind, command]
}
