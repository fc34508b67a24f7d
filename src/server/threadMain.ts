import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Answer, Question, Work } from './threads.ts'

/** The last line of a module that runs in threads: answers one question after the other. */
export function serveThread(work: Work): void {
  // there it counts for this thread alone: long work gives way to whoever waits for an answer
  if (process.platform === 'linux') setPriority(10)
  parentPort?.on('message', async ({ name, input }: Question) => {
    const answer: Answer = await Promise.try(() => work[name]?.(input)).then(
      (value) => ({ value }),
      (error) => ({ error }),
    )
    parentPort?.postMessage(answer)
  })
}
