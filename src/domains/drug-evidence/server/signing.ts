import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Config } from '../../../server/config.ts'
import { keyFor } from '../../../server/secretBox.ts'

/** An Ed25519 key from the one secret of the installation, as others are. */
const privateKey = (config: Pick<Config, 'secretKey'>): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([
      Buffer.from('302e020100300506032b657004220420', 'hex'),
      keyFor(config, 'drug-evidence'),
    ]),
    format: 'der',
    type: 'pkcs8',
  })

/** SubjectPublicKeyInfo in base64. */
export const publicKeyOf = (config: Pick<Config, 'secretKey'>): string =>
  createPublicKey(privateKey(config)).export({ format: 'der', type: 'spki' }).toString('base64')

export const signed = (config: Pick<Config, 'secretKey'>, text: string): string =>
  sign(null, Buffer.from(text), privateKey(config)).toString('base64')

/** By the key of this installation: a package that names another one was not made here. */
export const isSigned = (
  config: Pick<Config, 'secretKey'>,
  text: string,
  signature: string,
): boolean =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey(privateKey(config)),
    Buffer.from(signature, 'base64'),
  )
