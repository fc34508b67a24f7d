import { useState } from 'react'
import { screenOf } from '../guard.ts'
import { setPrefs, usePrefs } from '../prefs.ts'
import { product } from '../product.ts'

/**
 * Whether the side menu is folded here: the person's choice, or a wide page's until it is unfolded
 * on that page.
 */
export function useFold(pathname: string): readonly [folded: boolean, toggle: () => void] {
  const { folded } = usePrefs()
  const [unfolded, setUnfolded] = useState<string | null>(null)
  const wide = screenOf(pathname, product.screens)?.wide === true
  const here = folded || (wide && unfolded !== pathname)
  return [
    here,
    () => (wide && !folded ? setUnfolded(here ? pathname : null) : setPrefs({ folded: !folded })),
  ]
}
