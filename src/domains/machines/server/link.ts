import type { DownKind, UpKind } from '../protocol.ts'
import type { Machine } from './identity.ts'

/** One way to the machines: our own broker, or a client of another one. */
export type Link = {
  /** Sends when the machine is connected; false when it is not (nothing is ever queued for it). */
  send(machine: Machine, kind: DownKind, body: object): boolean
  /** Machines that would hear a command now. */
  connected(): readonly Machine[]
  /** Ends connections that would not be let in now, or whose machine has another owner. */
  recheck(): Promise<void>
  stop(): Promise<void>
}

/** What a link hands on. `receive` resolves when there is room, which holds the sender back. */
export type LinkEvents = {
  receive(machine: Machine, kind: UpKind | null, payload: Uint8Array): Promise<void>
  /** Whether so much of its organisation waits that the sender would be held back. */
  isFull(machine: Machine): boolean
  /** The connection ended without a word of the machine. */
  lost(machine: Machine): void
  /** Something was refused; counted, never explained to the sender. */
  refused(reason: Refused): void
  /** A proven machine wants in; false when it comes too often. */
  admits(machine: Machine): boolean
  /** Somebody says its number with a wrong secret. */
  mistaken(machine: Machine): void
  /** Cut off because it sends more than anybody can take. */
  flooded(machine: Machine): void
  /** A machine that has proven itself asks for what is not its own. */
  strayed(machine: Machine, what: 'PUBLISH' | 'SUBSCRIBE' | 'WILL', topic: string): void
  /** A second connection replaces the first. */
  takenOver(machine: Machine): void
}
export type Refused =
  | 'frame'
  | 'flood'
  | 'address'
  | 'proxy'
  | 'login'
  | 'topic'
  | 'subscribe'
  | 'rate'
  | 'banned'
  | 'unreadable'
  | 'takeover'
  | 'slow'
  | 'full'
  | 'flapping'
