import type { ProductRow } from '../contract.ts'

/** Those of the chosen rows that may be changed, as the server wants them. */
export const changeable = (rows: readonly ProductRow[], right: 'publish' | 'edit') =>
  rows.filter(({ can }) => can[right]).map(({ id, version }) => ({ id, version }))
