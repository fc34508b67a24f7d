import { say } from '../shared/text.ts'
import { screenOf } from './guard.ts'
import { usePrefs } from './prefs.ts'
import { product } from './product.ts'
import { useTabPath } from './shell/tabs.ts'

/** The screen of this tab as it was declared: its title is said there and nowhere else. */
export function useScreen(): { readonly title: string; readonly parent: string | undefined } {
  const { lang } = usePrefs()
  const screen = screenOf(useTabPath(), product.screens)
  return { title: screen ? say(screen.title, lang) : '', parent: screen?.parent }
}
