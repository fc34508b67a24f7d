import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../domains/machines/protocol.ts'
import type { Held } from './desires.ts'
import type { VendResult } from './kinds.ts'
import type { Message } from './outbox.ts'

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

/** What machines and customers did, as they saw it: a line each. */
export function openRecord(folder: string): (line: object) => void {
  const path = join(folder, 'fleet-record.jsonl')
  return (line) =>
    appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`, {
      mode: 0o600,
    })
}
