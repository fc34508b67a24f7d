import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../domains/machines/protocol.ts'
import type { Held } from './desires.ts'
import type { VendResult } from './kinds.ts'
import type { Message } from './outbox.ts'
import type { Disk, HeldReleases } from './updates.ts'

/** A command and what became of it. */
export type Kept = {
  command: Command
  state: 'accepted' | 'done' | 'refused'
  ack: string
  result: VendResult | null
  dropDetected: boolean
  durationMs: number
}

/** What a machine knows after a loss of power. */
export type Memory = {
  boot: number
  kept: Kept[]
  messages: Message[]
  broken: number[]
  held?: Held
  releases?: HeldReleases
}

export type MemoryChip = { read(): Memory | null; write(memory: Memory): void }

/** The permanent memory of a simulated machine: a file that is whole at every moment. */
export function openMemory(folder: string, rtu: string): MemoryChip {
  const path = join(folder, `${rtu}.json`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    read: () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Memory) : null),
    write(memory) {
      writeFileSync(`${path}.new`, JSON.stringify(memory), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
  }
}

/** Packages that a machine has begun to load: a file each, which grows. */
export function openDisk(folder: string, rtu: string, room: number): Disk {
  const place = (name: string) => join(folder, `${rtu}.${name}.part`)
  const size = (name: string) => (existsSync(place(name)) ? statSync(place(name)).size : 0)
  return {
    size,
    append(name, bytes) {
      if (size(name) + bytes.length > room) return false
      appendFileSync(place(name), bytes, { mode: 0o600 })
      return true
    },
    read: (name) => (existsSync(place(name)) ? readFileSync(place(name)) : Buffer.alloc(0)),
    clear: (name) => rmSync(place(name), { force: true }),
  }
}

/** What machines and customers did, as they saw it: a line each. */
export function openRecord(folder: string): (line: object) => void {
  const path = join(folder, 'fleet-record.jsonl')
  return (line) =>
    appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`, {
      mode: 0o600,
    })
}
