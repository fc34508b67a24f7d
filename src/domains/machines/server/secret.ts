import { createHash, pbkdf2Sync, randomBytes } from 'node:crypto'

/**
 * What a machine proves itself with at the gateway: 256 random bits as hex, kept only as hashes of
 * that text.
 */
export const newSecret = (): string => randomBytes(32).toString('hex')
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/**
 * The form of Mosquitto's password file (PBKDF2-HMAC-SHA512, 12 bytes of salt, 64 of key). One
 * round is enough for 256 random bits, and the broker repeats all rounds for every connected
 * machine whenever it reads the file again.
 */
export function brokerHash(
  secret: string | Uint8Array,
  salt: Uint8Array = randomBytes(12),
  rounds = 1,
): string {
  return `$7$${rounds}$${Buffer.from(salt).toString('base64')}$${pbkdf2Sync(secret, salt, rounds, 64, 'sha512').toString('base64')}`
}

/** Both forms of one secret, which are never written apart. */
export const secretColumns = (secret: string) => ({
  secret_hash: secretHash(secret),
  broker_hash: brokerHash(secret),
})
/** Of a machine that nobody can sign in as. */
export const unknownSecret = () => ({ secret_hash: secretHash(newSecret()), broker_hash: null })
