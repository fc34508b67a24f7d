import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { App } from '../../../server/context.ts'
import { type ErrorDef, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { openKeys, type Secrets, sealKeys } from '../../payment-channels/server/configs.ts'
import { print, publicOf, rsa, spki } from '../../payment-channels/server/keyChecks.ts'
import type { Keys } from '../contract.ts'
import { configErrors, type SecretName, secretNames, tailOf, takesSecret } from '../rules.ts'
import type { Kept } from './queries.ts'

/** What of a row says which merchant it is, and so to what its keys are bound. */
type Place = Pick<Kept, 'provider' | 'mchId' | 'appId' | 'systemId'>
type Written = Pick<Kept, 'certSerial' | 'certUntil' | 'channelKeys' | 'tails'> & {
  secrets: Buffer
}

/** A key as PEM, or the refusal at its field. */
function keyOf(pem: string, field: string, make: (pem: string) => KeyObject): KeyObject {
  try {
    const key = make(pem)
    if (rsa(key)) return key
  } catch {
    // what is no key is refused as a wrong one
  }
  throw fieldRefusal(configErrors.badKey, field)
}
function certificateOf(pem: string, now: Date): X509Certificate {
  const refuse = (def: ErrorDef) => fieldRefusal(def, 'certificate')
  let found: X509Certificate
  try {
    found = new X509Certificate(pem)
  } catch {
    throw refuse(configErrors.badCertificate)
  }
  if (found.validToDate <= now) throw refuse(configErrors.expired)
  return found
}

export const noKeys: Secrets = { privateKey: '', apiV3Key: '' }
const plainSecrets = ['desKey', 'saltMd5Key', 'apiV3Key'] as const

/** Checks the keys that were given and puts them beside those that stay, sealed for `place`. */
export function replaced(
  app: Pick<App, 'config' | 'now'>,
  place: Place,
  before: Pick<Kept, 'certSerial' | 'certUntil' | 'channelKeys' | 'tails'> & { keys: Secrets },
  given: Keys,
): Written & { renewed: SecretName[] } {
  const { provider } = place
  const now = app.now()
  const names = secretNames.filter((name) => given[name])
  for (const name of names)
    if (!takesSecret(provider, name)) throw fieldRefusal(configErrors.otherSecrets, name)
  if (given.certificate && provider !== 'WECHAT')
    throw fieldRefusal(configErrors.otherSecrets, 'certificate')
  if (!names.length && !given.certificate) throw new Refusal(configErrors.noSecrets)
  const tails: Record<string, { tail: string; at: string }> = { ...before.tails }
  const note = (name: SecretName, tail: string) => {
    tails[name] = { tail, at: now.toISOString() }
  }
  const keys: Secrets = { ...before.keys }
  for (const name of plainSecrets) {
    const secret = given[name]
    if (!secret) continue
    keys[name] = secret
    note(name, tailOf(secret))
  }
  if (given.privateKey) {
    const key = keyOf(given.privateKey, 'privateKey', createPrivateKey)
    keys.privateKey = given.privateKey
    note('privateKey', print(createPublicKey(key).export(spki) as string).slice(-4))
  }
  let { certSerial, certUntil, channelKeys } = before
  if (given.certificate) {
    const certificate = certificateOf(given.certificate, now)
    certSerial = certificate.serialNumber
    certUntil = certificate.validToDate
    if (!keys.privateKey || !certificate.checkPrivateKey(createPrivateKey(keys.privateKey)))
      throw fieldRefusal(configErrors.notOfKey, 'certificate')
  } else if (given.privateKey && provider === 'WECHAT') {
    // the certificate that is known was made for the key before
    throw fieldRefusal(configErrors.notOfKey, 'certificate')
  }
  if (given.channelKey) {
    const key = keyOf(given.channelKey, 'channelKey', publicOf)
    const id = provider === 'ALIPAY' ? 'ALIPAY' : given.channelKeyId
    if (!id) throw fieldRefusal(configErrors.badKey, 'channelKeyId')
    const pem = key.export(spki) as string
    const until = given.channelKey.includes('CERTIFICATE')
      ? new X509Certificate(given.channelKey).validToDate.toISOString()
      : null
    channelKeys = { [id]: { pem, until } }
    note('channelKey', print(pem).slice(-4))
  }
  return {
    secrets: sealKeys(app, place, keys),
    certSerial,
    certUntil,
    channelKeys,
    tails,
    renewed: names,
  }
}

/** The same keys, bound to what the merchant is called now. */
export const moved = (app: Pick<App, 'config'>, before: Kept, place: Place): Buffer =>
  sealKeys(app, place, openKeys(app, before, before.secrets))
