import type { Domain } from '../../server/domain.ts'

/** Who is owed what of a sale. */
export const domain = {} satisfies Domain
