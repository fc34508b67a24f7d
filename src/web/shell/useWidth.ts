import { useSyncExternalStore } from 'react'
import { layout } from '../theme.ts'

const narrow = matchMedia(`(max-width: ${layout.drawerBelow - 1}px)`)
const phone = matchMedia(`(max-width: ${layout.phoneBelow - 1}px)`)
const subscribe = (query: MediaQueryList) => (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}
const [onNarrow, onPhone] = [subscribe(narrow), subscribe(phone)]

/** Below 992 px: the menu is a drawer. */
export const useNarrow = (): boolean => useSyncExternalStore(onNarrow, () => narrow.matches)
/** Below 768 px: no tabs bar, cards instead of tables. */
export const usePhone = (): boolean => useSyncExternalStore(onPhone, () => phone.matches)
