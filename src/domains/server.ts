import type { Handlers } from '../server/bind.ts'
import { handlers as session } from './session/server/verbs.ts'
import type { contracts } from './contracts.ts'

/** Every handler of the product, one line per domain. */
export const handlers: { readonly [D in keyof typeof contracts]: Handlers<(typeof contracts)[D]> } = {
  session,
}
