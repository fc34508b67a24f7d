import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Answer, Question, Work } from './threads.ts'

/**
 * The last line of a module that runs in threads or apart: answers one question after the other.
 */
export function serveThread(work: Work): void {
  // there it counts for this thread alone: long work gives way to whoever waits for an answer
  if (process.platform === 'linux') setPriority(10)
  const answering = async ({ name, input }: Question) => {
    const answer: Answer = await Promise.try(() => work[name]?.(input)).then(
      (value) => ({ value }),
      (error) => ({ error }),
    )
    if (parentPort) parentPort.postMessage(answer)
    else process.send?.(answer)
  }
  if (parentPort) parentPort.on('message', answering)
  else process.on('message', answering)
}
