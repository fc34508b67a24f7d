import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'

/** What a key must be, and what everybody may know of one. */
export const rsa = (key: KeyObject): boolean => {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  // a larger one takes its time whenever it signs
  return key.asymmetricKeyType === 'rsa' && bits >= 2048 && bits <= 4096
}
/** Of a public key or a certificate as PEM. */
export const publicOf = (pem: string): KeyObject =>
  pem.includes('CERTIFICATE') ? new X509Certificate(pem).publicKey : createPublicKey(pem)
export const spki = { type: 'spki', format: 'pem' } as const
/** The public half, short: tells one key from another. */
export const print = (pem: string): string =>
  createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
