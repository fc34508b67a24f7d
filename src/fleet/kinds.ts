import type { Command, UpKind, vendResults } from '../domains/machines/protocol.ts'
import type { Keys } from '../domains/releases/manifest.ts'
import type { Random } from '../seed/random.ts'
import type { MemoryChip } from './memory.ts'
import type { Disk, HeldReleases, Load, Updates } from './updates.ts'

/** A machine as the protocol sees it: no I/O of its own, its clock, luck and wire are given. */
type Clock = { now(): number; later(ms: number, work: () => void): void }
export type VendResult = (typeof vendResults)[number]
export type Luck = {
  readonly noDrop: number
  readonly stuck: number
  readonly silent: number
  readonly lost: number
}
export const usualLuck: Luck = { noDrop: 0.015, stuck: 0.01, silent: 0.003, lost: 0.002 }

export type MachineOptions = {
  readonly rtu: string
  /** Larger than that of any earlier start. */
  readonly boot: number
  readonly dropSensor: boolean
  readonly random: Random
  readonly clock: Clock
  readonly luck: Luck
  readonly chip: MemoryChip
  /** What it is built with, and how packages come to it; without it takes none. */
  readonly releases?: {
    readonly built: HeldReleases
    readonly disk: Disk
    readonly load: Load
    readonly keys: Keys
  }
  send(kind: UpKind, message: Record<string, unknown>): void
  /** The motor turned; `OK` is a piece that fell. */
  turned(command: Command, result: VendResult): void
  /** The power goes for so long: the wire must drop the connection, wait, and call `restart`. */
  powerFails(ms: number): void
  /** The wire is bad: drop the connection and come back. */
  lineDrops(ms: number): void
}

export type Machine = {
  /** The last will of the next connection, and with it the number of its hello. */
  will(): Record<string, unknown>
  connected(): void
  disconnected(): void
  hear(topic: string, payload: Uint8Array): void
  heartbeat(): void
  telemetry(): void
  fault(code: string, lane: number | null): void
  clear(code: string, lane: number | null): void
  door(open: boolean): void
  stock(lanes: readonly { lane: number; count: number }[]): void
  /** Sends what is due again; called every second. */
  tick(): void
  restart(): void
  readonly waiting: number
  readonly updates: Updates | null
  readonly doorOpen: boolean
  readonly locked: boolean
  /** How often measurements are told, as the settings say. */
  readonly reportMs: number
}
