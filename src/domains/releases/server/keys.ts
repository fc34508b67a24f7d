import { readFile } from 'node:fs/promises'
import type { App } from '../../../server/context.ts'
import { type Keys, readKeys } from '../manifest.ts'

/** Public keys by which releases are signed, from the file of this host; none without it. */
export const trustedKeys = async (app: App): Promise<Keys> =>
  readKeys(await readFile(app.config.releaseKeys, 'utf8').catch(() => ''))
