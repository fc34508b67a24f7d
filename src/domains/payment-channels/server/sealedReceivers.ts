import { createHmac } from 'node:crypto'
import type { App } from '../../../server/context.ts'
import { keyFor, openSecret, sealSecret } from '../../../server/secretBox.ts'

/** Accounts and names at rest, bound to the merchant at which, and to whom, they pay. */
export type Place = { orgId: number; configId: number | null; partyId: number }
const placeOf = ({ orgId, configId, partyId }: Place) =>
  `split_receivers|${orgId}|${configId ?? ''}|${partyId}`
const use = 'split.receivers'
type Keyed = Pick<App, 'config'>
export const sealReceiver = (app: Keyed, place: Place, text: string): Buffer =>
  sealSecret(app.config, use, placeOf(place), text)
export const openReceiver = (app: Keyed, place: Place, sealed: Buffer): string =>
  openSecret(app.config, use, placeOf(place), sealed)
/** Finds an account without opening any. */
export const hashOf = (app: Keyed, account: string): Buffer =>
  createHmac('sha256', keyFor(app.config, `${use}.hash`))
    .update(account)
    .digest()
