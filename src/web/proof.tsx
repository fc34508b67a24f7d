import { lazy, Suspense, useSyncExternalStore } from 'react'
import { whenProofNeeded } from './call.ts'
import { withoutLoading } from './loading.ts'
import { product } from './product.ts'

let answer: ((given: boolean) => void) | null = null
let asked: Promise<boolean> | null = null
const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

/** Calls that need a proof at the same time wait for one dialog. */
whenProofNeeded(() => {
  asked ??= withoutLoading(
    new Promise<boolean>((resolve) => {
      answer = (given) => {
        answer = null
        asked = null
        tell()
        resolve(given)
      }
      tell()
    }),
  )
  return asked
})

const Dialog = lazy(() =>
  product.loadProofDialog().then(
    (found) => ({ default: found }),
    () => ({ default: Nobody }),
  ),
)

/**
 * The one place where a person shows who he is before an act; the dialog loads with the first
 * question.
 */
export function ProofQuestion() {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => answer,
  )
  return <Suspense>{open ? <Dialog onAnswer={open} /> : null}</Suspense>
}

/** Without a network there is nobody to show it to. */
function Nobody({ onAnswer }: { onAnswer: (given: boolean) => void }) {
  queueMicrotask(() => onAnswer(false))
  return null
}
