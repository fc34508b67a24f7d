import type { ErrorDef } from '../../shared/errors.ts'
import { ownsMachines } from '../machines/rules.ts'
import { storeErrors } from './contract.ts'

/** A store belongs to whoever may own machines. */
export const ownerRule = (kind: string): ErrorDef | null =>
  ownsMachines(kind) ? null : storeErrors.ownerKind
export const removable = (store: { readonly deviceCount: number }): ErrorDef | null =>
  store.deviceCount > 0 ? storeErrors.inUse : null
