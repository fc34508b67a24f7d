import { readdirSync, readFileSync } from 'node:fs'
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
