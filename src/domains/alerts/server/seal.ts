import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Config } from '../../../server/config.ts'

/** Secrets of channels at rest: AES-256-GCM, bound to table, row and column (quality.md, rule 23). */
export type Place = `${'alert_channels.secret' | 'alert_mail_servers.password'}|${number}`
const keyOf = (config: Pick<Config, 'secretKey'>): Buffer => createHmac('sha256', Buffer.from(config.secretKey, 'hex')).update('alerts.channels').digest()

export function seal(config: Pick<Config, 'secretKey'>, place: Place, text: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(config), nonce).setAAD(Buffer.from(place))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function unseal(config: Pick<Config, 'secretKey'>, place: Place, sealed: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', keyOf(config), sealed.subarray(0, 12)).setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]).toString('utf8')
}
