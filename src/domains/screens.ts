import type { Screen } from '../shared/screens.ts'
import { screens as session } from './session/screens.ts'

/** Every screen of the product, one line per domain. */
export const screens: readonly Screen[] = [...session]
