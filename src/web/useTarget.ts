import { isAllowed, screenOf } from './guard.ts'
import { product } from './product.ts'
import { useMay, useUser } from './session.ts'

/**
 * The address when it exists and the reader may open it: a menu leads there, and he holds the right
 * of the page.
 */
export function useTarget(): (to: string) => string | undefined {
  const user = useUser()
  const may = useMay()
  return (to) => {
    const path = to.replace(/\?.*$/, '')
    const screen = screenOf(path, product.screens)
    return screen &&
      isAllowed(path, user, product.screens) &&
      (!screen.permission.includes(':') || may(screen.permission))
      ? to
      : undefined
  }
}
