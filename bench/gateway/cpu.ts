import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import type pg from 'pg'

export type Cpu = { node: number; database: number }

/**
 * What this process and the connections of the database have computed so far, in microseconds: on
 * a busy machine a figure that holds where seconds do not. Linux only.
 */
export async function cpuOf(owner: pg.Client): Promise<Cpu> {
  const { rows } = await owner.query<{ data_directory: string }>('show data_directory')
  const server = readFileSync(`${rows[0]?.data_directory}/postmaster.pid`, 'utf8').split('\n')[0]
  let ticks = 0
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [, parent, user, system] = partsOf(id)
    if (parent === server) ticks += Number(user) + Number(system)
  }
  const own = process.cpuUsage()
  return { node: own.user + own.system, database: ticks * 10_000 }
}

export type Measured = { done: number; ms: number; perSecond: number; cpu: Cpu }
/** How long work took, and what each of the things it answers for cost. */
export async function measured(owner: pg.Client, work: () => Promise<number>): Promise<Measured> {
  const [before, began] = [await cpuOf(owner), performance.now()]
  const done = await work()
  const ms = performance.now() - began
  const after = await cpuOf(owner)
  const each = (part: keyof Cpu) => Math.round((after[part] - before[part]) / Math.max(1, done))
  return {
    ...{ done, ms, perSecond: (done * 1000) / ms },
    cpu: { node: each('node'), database: each('database') },
  }
}

/** State, parent, ticks for itself and for the kernel (proc(5)); empty for who is gone. */
function partsOf(id: string): (string | undefined)[] {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8')
    const parts = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return [parts[0], parts[1], parts[11], parts[12]]
  } catch {
    return []
  }
}
