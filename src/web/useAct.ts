import type { ReactNode } from 'react'
import type { CallInput, Endpoint, Output } from '../shared/contract.ts'
import { useWrite } from './api.ts'
import { useConfirm } from './confirm.tsx'
import { pickFor, type Values } from './form/values.ts'

type Act<E extends Endpoint, R> = {
  /** The question before it; without one it is done at once. */
  readonly ask?: string | ((row: R) => string)
  /** What it is about, below the question. */
  readonly name?: (row: R) => ReactNode
  /** The button of the question. */
  readonly ok?: string
  /** Default: what is asked about is dangerous. */
  readonly danger?: boolean
  readonly success?: string
  readonly invalidates?: readonly string[]
  readonly onSuccess?: (answer: Output<E>) => void
}

/**
 * An act on a record: the question, then the call with the record's own fields and what the caller
 * adds, then the message.
 */
export function useAct<E extends Endpoint, R extends object>(
  endpoint: E,
  { ask, name, ok, danger = ask !== undefined, success = 'web:success.done', ...rest }: Act<E, R>,
): (row: R, more?: Partial<CallInput<E>>, done?: () => void) => Promise<void> {
  const confirm = useConfirm()
  const write = useWrite(endpoint, { success, ...rest })
  return async (row, more, done) => {
    const title = typeof ask === 'function' ? ask(row) : ask
    const question = { danger, ...(name ? { content: name(row) } : {}), ...(ok ? { ok } : {}) }
    if (title === undefined || (await confirm({ title, ...question })))
      write.mutate(pickFor(endpoint.input, { ...(row as Values), ...more }) as CallInput<E>, {
        ...(done ? { onSuccess: done } : {}),
      })
  }
}
