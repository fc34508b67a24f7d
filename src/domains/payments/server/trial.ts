import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import type { App } from '../../../server/context.ts'
import type { ChannelKeys } from '../../payment-channels/server/channels.ts'
import { type Secrets, tryingOut } from '../../payment-channels/server/configs.ts'
import { providers } from './providers.ts'
import { simulatorSign } from './verbs.ts'

/** What became of one step. `sure`: it will not be otherwise when it is tried again. */
export type Tried = { step: string; ok: boolean; note: string; sure: boolean }
const tried = (step: string, ok: boolean, note = '', sure = !ok): Tried => ({
  step,
  ok,
  note,
  sure,
})

/** One cent at the simulator: ordered, asked after as it tells it, and given back. */
export async function trySimulator(app: App, id: number): Promise<Tried[]> {
  const no = `TEST${id}${randomBytes(6).toString('hex')}`
  const told = {
    eventId: no,
    outTradeNo: no,
    tradeNo: `SIM${no}`,
    amount: 1,
    paidAt: app.now().toISOString(),
  }
  const signed = Buffer.from(simulatorSign(app.config.simPayKey, told), 'hex')
  const again = Buffer.from(simulatorSign(app.config.simPayKey, { ...told, amount: 1 }), 'hex')
  const forged = Buffer.from(simulatorSign(app.config.simPayKey, { ...told, amount: 2 }), 'hex')
  const heard = timingSafeEqual(signed, again) && !timingSafeEqual(signed, forged)
  const refund = await providers(app).SIMULATOR.refund({
    refundNo: `R${no}`,
    ...{ outTradeNo: no, tradeNo: told.tradeNo, amount: 1, total: 1, configId: null },
  })
  return [
    tried('ORDER', true, no),
    tried('QUERY', heard),
    tried('REFUND', refund.state === 'SUCCESS', 'reason' in refund ? refund.reason : ''),
  ]
}

/**
 * Our key signs, and the channel takes what it signed: an order that nobody made is not there. Only
 * keys count that signed this answer (`keys`): one that somebody made up would say who paid.
 */
export async function tryChannel(
  app: App,
  id: number,
  { privateKey }: Secrets,
  certUntil: Date | null,
): Promise<{ steps: Tried[]; keys: ChannelKeys }> {
  const steps: Tried[] = []
  const text = randomBytes(32)
  let own = false
  try {
    const key = createPrivateKey(privateKey)
    own = verify('RSA-SHA256', text, createPublicKey(key), sign('RSA-SHA256', text, key))
  } catch {
    // no key, or one that does not sign
  }
  steps.push(tried('KEYS', own))
  if (certUntil) steps.push(tried('CERTIFICATE', certUntil > app.now(), certUntil.toISOString()))
  if (!own) return { steps, keys: {} }
  const connected = await tryingOut(app, id)
  const said = (await connected?.channel.query(`HDTEST${id}T${app.now().getTime()}`)) ?? null
  if (said?.state === 'ABSENT') steps.push(tried('CHANNEL', true))
  else if (said && 'reason' in said)
    steps.push(tried('CHANNEL', false, said.reason, said.state === 'FAILED'))
  else steps.push(tried('CHANNEL', false, said?.state ?? '', false))
  const keys = connected?.channel.signers() ?? {}
  // one that was entered by hand and signs nothing
  const idle = Object.keys(connected?.merchant.keys ?? {}).filter(
    (key) => key.startsWith('PUB_KEY_ID_') && !Object.hasOwn(keys, key),
  )
  if (said?.state === 'ABSENT' && idle.length)
    steps.push(tried('CHANNEL_KEY', false, idle.join(' ')))
  return { steps, keys }
}

/** What an aggregator is told is enciphered and signed: both must go there and back. */
export function tryCipher({ desKey = '', saltMd5Key = '' }: Secrets): Tried[] {
  const key = Buffer.from(desKey.length === 24 ? desKey : desKey.padEnd(24, desKey))
  let same = false
  try {
    const [iv, text] = [randomBytes(8), randomBytes(24)]
    const cipher = createCipheriv('des-ede3-cbc', key, iv)
    const sealed = Buffer.concat([cipher.update(text), cipher.final()])
    const open = createDecipheriv('des-ede3-cbc', key, iv)
    same = Buffer.concat([open.update(sealed), open.final()]).equals(text)
  } catch {
    // a key of another length
  }
  const md5 = (salt: string) => createHash('md5').update(`orderNo=1${salt}`).digest('hex')
  return [
    tried('CIPHER', same),
    tried('KEYS', saltMd5Key !== '' && md5(saltMd5Key) !== md5(`${saltMd5Key}x`)),
  ]
}
