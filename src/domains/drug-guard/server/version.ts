import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Of the file with the rules, whatever changes in it; the build gives pages the same. */
export const guardVersion: string = createHash('sha256')
  .update(readFileSync(new URL('../rules.ts', import.meta.url)))
  .digest('hex')
  .slice(0, 12)
