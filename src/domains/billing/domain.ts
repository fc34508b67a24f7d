import type { Domain } from '../../server/domain.ts'
import { locale } from './locale.ts'

/** The page of money: what came in, whose it is, when it arrives. */
export const domain = {
  locale,
} satisfies Domain
