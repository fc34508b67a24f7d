import { once } from 'node:events'
import { type Transferable, Worker } from 'node:worker_threads'
import { common, Refusal } from '../shared/errors.ts'

/**
 * Pure work that may take long, beside the event loop: files of strangers, large tables. A module that ends with `serveThread({…})`
 * runs in a few threads of its own; work that overruns its time or memory is ended together with its thread.
 */
export type Threads<F extends Work> = <N extends keyof F & string>(
  name: N,
  input: Parameters<F[N]>[0],
  options?: { transfer?: Transferable[]; signal?: AbortSignal },
) => Promise<Awaited<ReturnType<F[N]>>>
// biome-ignore lint/suspicious/noExplicitAny: inputs are typed where they are called
export type Work = Readonly<Record<string, (input: any) => unknown>>
export type Question = { name: string; input: unknown }
export type Answer = { value: unknown } | { error: unknown }
type Bounds = { threads: number; waiting: number; seconds: number; megabytes: number }

/** The work took more time or memory than it may. */
export class Overrun extends Error {}

const idleMs = 60_000

export function openThreads<F extends Work>(module: URL, bounds: Bounds): Threads<F> {
  const idle: Worker[] = []
  const waiting: (() => void)[] = []
  let running = 0
  const forget = (worker: Worker): boolean => {
    const at = idle.indexOf(worker)
    if (at >= 0) idle.splice(at, 1)
    return at >= 0
  }
  const open = (): Worker => {
    const worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: bounds.megabytes } })
    worker.on('error', () => {}) // one that fails after its answer must not end the process
    worker.on('exit', () => forget(worker))
    return worker
  }
  const rest = (worker: Worker) => {
    idle.push(worker)
    worker.unref()
    setTimeout(() => forget(worker) && void worker.terminate(), idleMs).unref()
  }
  return async (name, input, { transfer = [], signal } = {}) => {
    if (running < bounds.threads) running += 1
    else if (waiting.length >= bounds.waiting) throw new Refusal(common.busy)
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      const worker = idle.pop() ?? open()
      try {
        const value = await asked(worker, { name, input }, transfer, AbortSignal.any([AbortSignal.timeout(bounds.seconds * 1000), ...(signal ? [signal] : [])]))
        rest(worker)
        return value as never
      } catch (error) {
        void worker.terminate()
        throw error
      }
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

async function asked(worker: Worker, question: Question, transfer: Transferable[], signal: AbortSignal): Promise<unknown> {
  worker.ref()
  worker.postMessage(question, transfer)
  try {
    // a thread that fails says so by `error`, which `once` throws
    const [answer] = (await once(worker, 'message', { signal })) as [Answer]
    if ('error' in answer) throw answer.error
    return answer.value
  } catch (error) {
    const { code, name } = error as { code?: string; name?: string }
    if (code === 'ERR_WORKER_OUT_OF_MEMORY' || name === 'AbortError') throw new Overrun(String(error))
    throw error
  }
}
