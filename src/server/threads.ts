import { fork } from 'node:child_process'
import type { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Transferable, Worker } from 'node:worker_threads'
import { openFairQueue } from './fairQueue.ts'

/**
 * Pure work that may take long, beside the event loop: files of strangers, large tables. A module
 * that ends with `serveThread({…})` runs in a few threads of its own; work that overruns its time
 * or memory is ended together with its thread. `apart`: in processes of their own, for files of
 * strangers: V8 ends the whole process for much that takes all memory of a thread. Organisations
 * take turns.
 */
export type Threads<F extends Work> = <N extends keyof F & string>(
  name: N,
  input: Parameters<F[N]>[0],
  options?: { orgId?: number; transfer?: Transferable[]; signal?: AbortSignal },
) => Promise<Awaited<ReturnType<F[N]>>>
// biome-ignore lint/suspicious/noExplicitAny: inputs are typed where they are called
export type Work = Readonly<Record<string, (input: any) => unknown>>
export type Question = { name: string; input: unknown }
export type Answer = { value: unknown } | { error: unknown }
/** `waiting`: places of one organisation. */
type Bounds = { threads: number; waiting: number; seconds: number; megabytes: number; apart?: true }

/** The work took more time or memory than it may. */
export class Overrun extends Error {}

const idleMs = 60_000
const waitMs = 30_000

/** Somewhere that answers one question after the other. */
type Seat = {
  readonly events: EventEmitter
  ask(question: Question, transfer: Transferable[]): void
  ref(): void
  unref(): void
  end(): void
}

function inThread(module: URL, megabytes: number): Seat {
  const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: megabytes } })
  return {
    events: worker,
    ask: (question, transfer) => worker.postMessage(question, transfer),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    end: () => void worker.terminate(),
  }
}

function inProcess(module: URL, megabytes: number): Seat {
  const child = fork(fileURLToPath(module), [], {
    execArgv: [`--max-old-space-size=${megabytes}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // nothing secret is where files of strangers are read
    env: {},
  })
  return {
    events: child,
    ask: (question) => child.send(question, () => {}),
    ref() {
      child.ref()
      child.channel?.ref()
    },
    unref() {
      child.unref()
      child.channel?.unref()
    },
    end: () => void child.kill('SIGKILL'),
  }
}

export function openThreads<F extends Work>(module: URL, bounds: Bounds): Threads<F> {
  const idle: Seat[] = []
  const turns = openFairQueue({ atOnce: bounds.threads, waiting: bounds.waiting, waitMs })
  const forget = (seat: Seat): boolean => {
    const at = idle.indexOf(seat)
    if (at >= 0) idle.splice(at, 1)
    return at >= 0
  }
  const open = (): Seat => {
    const seat = (bounds.apart ? inProcess : inThread)(module, bounds.megabytes)
    seat.events.on('error', () => {}) // one that fails after its answer must not end the process
    seat.events.on('exit', () => forget(seat))
    return seat
  }
  const rest = (seat: Seat) => {
    idle.push(seat)
    seat.unref()
    setTimeout(() => forget(seat) && seat.end(), idleMs).unref()
  }
  return (name, input, { orgId = 0, transfer = [], signal } = {}) =>
    turns.take(orgId, async () => {
      const seat = idle.pop() ?? open()
      try {
        const value = await asked(
          seat,
          { name, input },
          transfer,
          AbortSignal.any([
            AbortSignal.timeout(bounds.seconds * 1000),
            ...(signal ? [signal] : []),
          ]),
        )
        rest(seat)
        return value as never
      } catch (error) {
        seat.end()
        throw error
      }
    })
}

async function asked(
  seat: Seat,
  question: Question,
  transfer: Transferable[],
  signal: AbortSignal,
): Promise<unknown> {
  seat.ref()
  const heard: [event: string, listener: (value: unknown) => void][] = []
  try {
    const answer = (await new Promise<unknown>((resolve, reject) => {
      // a process says nothing when its memory is at its end
      heard.push(
        ['message', resolve],
        ['error', reject],
        ['exit', (code) => reject(new Overrun(`ended with ${code}`))],
      )
      for (const [event, listener] of heard) seat.events.on(event, listener)
      signal.addEventListener('abort', () => reject(new Overrun(String(signal.reason))))
      signal.throwIfAborted()
      seat.ask(question, transfer)
    })) as Answer
    if ('error' in answer) throw answer.error
    return answer.value
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? new Overrun(String(error))
      : error
  } finally {
    for (const [event, listener] of heard) seat.events.off(event, listener)
  }
}
