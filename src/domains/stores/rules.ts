import type { ErrorDef } from '../../shared/errors.ts'
import { storeErrors } from './contract.ts'

const owners: ReadonlySet<string> = new Set(['PLATFORM', 'AGENT', 'OPERATOR'])

/** A store belongs to whoever may own machines. */
export const ownerRule = (kind: string): ErrorDef | null => (owners.has(kind) ? null : storeErrors.ownerKind)
export const removable = (store: { readonly deviceCount: number }): ErrorDef | null => (store.deviceCount > 0 ? storeErrors.inUse : null)
