import type { Goods } from '../shown.ts'

/**
 * The product under the hand: what a drag carries can be read only where it is dropped, and a lane
 * wants to know before.
 */
export const dragged: { goods: Goods | null } = { goods: null }
