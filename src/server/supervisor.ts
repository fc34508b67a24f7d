import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ready } from './parentWatch.ts'

export type Supervised = { restart(): void; stop(): Promise<void>; killNow(): void }
export type ChildOptions = {
  name: string
  args: string[]
  /** Asked before each start, so that a port taken meanwhile can move. */
  env: () => Promise<Record<string, string>>
  log: (line: string) => void
  /** A child that dies five times before it ever served is not started again. */
  onGiveUp: (error: Error) => void
  onReady?: () => void
}

const graceMs = 10_000

/** Keeps one child process running: restarts it with growing pauses, stops it gracefully. */
export function supervise({ name, args, env, log, onGiveUp, onReady }: ChildOptions): Supervised {
  let child: ChildProcess | null = null
  let stopping = false
  let wanted = false

  const loop = async () => {
    let pause = 100
    let failures = 0
    while (!stopping) {
      const given = await env()
      if (stopping) return
      // A group of its own: Ctrl-C goes to the parent alone, which decides the order of the stops.
      const current = spawn(process.execPath, args, {
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        env: { ...process.env, ...given },
      })
      child = current
      let served = false
      current.on('message', (message: Ready) => {
        if (message?.type !== 'ready' || served) return
        served = true
        failures = 0
        onReady?.()
      })
      current.on('error', () => {})
      const [code, signal] = (await once(current, 'exit')) as [number | null, string | null]
      child = null
      if (stopping) return
      if (wanted) {
        wanted = false
        continue
      }
      if (!served) failures += 1
      if (failures >= 5)
        throw new Error(`${name} does not start (it ended with ${signal ?? code}).`)
      // who served comes back at once; who dies before is given time
      if (served) pause = 100
      log(`${name} ended unexpectedly (${signal ?? code}), starting it again …`)
      await sleep(pause)
      pause = Math.min(pause * 2, 5000)
    }
  }
  loop().catch((error: Error) => !stopping && onGiveUp(error))

  return {
    restart() {
      wanted = child !== null
      child?.kill('SIGTERM')
    },
    async stop() {
      stopping = true
      const current = child
      if (!current) return
      const gone = once(current, 'exit')
      current.kill('SIGTERM')
      const late = setTimeout(() => {
        log(`${name} does not stop, ending it by force.`)
        current.kill('SIGKILL')
      }, graceMs)
      await gone
      clearTimeout(late)
    },
    killNow() {
      stopping = true
      child?.kill('SIGKILL')
    },
  }
}

/** The port itself when it is free or was asked for, else the next free one. */
export async function freePort(
  host: string,
  port: number,
  fixed: boolean,
  variable: string,
): Promise<number> {
  if (await isFree(host, port)) return port
  if (fixed)
    throw new Error(
      `Port ${port} is taken: set ${variable} to another one, or stop the program that uses it.`,
    )
  for (let next = port + 1; next < Math.min(port + 200, 65_536); next += 1) {
    if (await isFree(host, next)) return next
  }
  throw new Error(`No free port after ${port}: set ${variable}.`)
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return done(false)
      fail(
        new Error(
          error.code === 'EACCES'
            ? `Port ${port} needs more rights: choose one above 1023.`
            : `Cannot listen on ${host}: ${error.message}`,
        ),
      )
    })
    probe.listen(port, host, () => probe.close(() => done(true)))
  })
}
