import type { ErrorDef } from '../../shared/errors.ts'
import { ownsMachines } from '../machines/rules.ts'
import { deviceTagErrors } from './contract.ts'

/** Whoever may own machines. */
export const ownerRule = (kind: string): ErrorDef | null =>
  ownsMachines(kind) ? null : deviceTagErrors.ownerKind
