import { type ComponentType, lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { translate } from './i18n.ts'

export type Question = {
  readonly title: string
  readonly content?: ReactNode
  readonly danger?: boolean
  readonly ok?: string
  /** null: there is nothing to decide, only to read. */
  readonly cancel?: string | null
  /** The person types this before the button works: for what cannot be undone. */
  readonly typed?: string
}
export type Asked = Question & { readonly id: number; readonly answer: (yes: boolean) => void }

let asked: readonly Asked[] = []
let count = 0
const listeners = new Set<() => void>()
function change(next: readonly Asked[]): void {
  asked = next
  for (const listener of listeners) listener()
}

function ask(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    count += 1
    const id = count
    const answer = (yes: boolean) => {
      change(asked.filter((other) => other.id !== id))
      resolve(yes)
    }
    change([...asked, { ...question, id, answer }])
  })
}

/** Whether what was typed and not saved may be lost; whoever only presses Enter stays. */
export const mayLoseChanges = (): Promise<boolean> =>
  ask({
    title: translate('shell.closeDirty'),
    ok: translate('shell.leave'),
    cancel: translate('shell.stay'),
    danger: true,
  })

/** `if (await confirm({ title: t('removeAsk'), danger: true })) remove.mutate(…)`. */
export const useConfirm = (): ((question: Question) => Promise<boolean>) => ask

const Dialog = lazy(() =>
  import('./ConfirmDialog.tsx').then(
    (found): { default: ComponentType<{ question: Asked }> } => ({ default: found.ConfirmDialog }),
    () => ({ default: PlainQuestion }),
  ),
)

/** Questions over the page; the dialog loads with the first one. */
export function Questions() {
  const list = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => asked,
  )
  return (
    <Suspense>
      {list.map((question) => (
        <Dialog key={question.id} question={question} />
      ))}
    </Suspense>
  )
}

/** Without a network the browser's own dialog asks. */
function PlainQuestion({ question }: { question: Asked }) {
  queueMicrotask(() =>
    question.answer(question.typed === undefined && window.confirm(question.title)),
  )
  return null
}
