import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../../src/postgres/embedded.ts'
import { freePort } from './freePort.ts'
import { withoutWaiting } from './postgres.ts'

/**
 * A PostgreSQL of its own: roles belong to all databases of a server, so who tests them needs one.
 */
export type Cluster = { adminUrl: string; stop(): Promise<void> }

const debian = '/usr/lib/postgresql/15/bin'
/** The embedded one, and Debian's when it is installed (.ci/run installs it). */
export const clusters: Readonly<Record<string, () => Promise<Cluster>>> = {
  'PostgreSQL 18': startEmbedded,
  ...(existsSync(debian) ? { 'PostgreSQL 15': startDebian } : {}),
}

async function startEmbedded(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'hd-18-'))
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), log: () => {} })
  await withoutWaiting(server.url)
  return {
    adminUrl: server.url,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function startDebian(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'hd-15-'))
  // PostgreSQL refuses to run as root
  const identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  if (identity.uid) chownSync(folder, identity.uid, identity.gid)
  const data = join(folder, 'data')
  const made = spawnSync(
    join(debian, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-N', '--encoding=UTF8', '--locale=C'],
    {
      ...identity,
      cwd: '/',
    },
  )
  if (made.status !== 0) throw new Error(String(made.stderr))
  const port = await freePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'synchronous_commit=off',
    'max_parallel_workers_per_gather=0',
  ]
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(join(debian, 'postgres'), args, { ...identity, cwd: '/', stdio: 'ignore' })
  const adminUrl = `postgres://postgres@127.0.0.1:${port}/postgres`
  for (const until = Date.now() + 20_000; !(await answers(adminUrl)); await sleep(50))
    if (Date.now() > until) throw new Error('PostgreSQL 15 does not start')
  return {
    adminUrl,
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGQUIT')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
