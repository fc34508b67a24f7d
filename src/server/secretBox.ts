import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Config } from './config.ts'

type Key = Pick<Config, 'secretKey'>

/** A key of its own for each use, from the one secret of the installation. */
export const keyFor = (config: Key, use: string): Buffer =>
  createHmac('sha256', Buffer.from(config.secretKey, 'hex')).update(use).digest()

/** What only the holder of SECRET_KEY can write. */
export const sign = (secretKey: string, purpose: string, text: string): Buffer =>
  createHmac('sha256', Buffer.from(secretKey, 'hex')).update(`${purpose}\n${text}`).digest()

/**
 * Secrets at rest: AES-256-GCM, bound to table, row and column by `place` (quality.md, rule 23).
 */
export function sealSecret(config: Key, use: string, place: string, text: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFor(config, use), nonce).setAAD(
    Buffer.from(place),
  )
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

export function openSecret(config: Key, use: string, place: string, sealed: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', keyFor(config, use), sealed.subarray(0, 12))
    .setAAD(Buffer.from(place))
    .setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]).toString('utf8')
}
