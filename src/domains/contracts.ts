import { session } from './session/contract.ts'
import type { Contract } from '../shared/contract.ts'

/** Every contract of the product, one line per domain. */
export const contracts = {
  session,
} satisfies Record<string, Contract>
