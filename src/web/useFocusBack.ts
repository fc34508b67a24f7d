import { useEffect, useState } from 'react'

/** What opened this has the focus again when it is gone, unless something else has taken it. */
export function useFocusBack(): void {
  // before a field of the dialog takes it
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      setTimeout(() => {
        if (
          before instanceof HTMLElement &&
          (document.activeElement === document.body || document.activeElement === null)
        )
          before.focus()
      })
    },
    [before],
  )
}
