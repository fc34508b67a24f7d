import type { Locale } from '../shared/locale.ts'
import { locale as session } from './session/locale.ts'

/** Texts of every domain by name; used by tests and the server, the web loads them lazily with their pages. */
export const locales: Record<string, Locale> = { session }
