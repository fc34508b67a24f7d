import type { Clip } from './useDrafts.ts'

/** Settings copied from lanes, for lanes of this or another machine opened beside it. */
export const clipboard: { clips: readonly Clip[] } = { clips: [] }
