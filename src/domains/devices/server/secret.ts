import { createHash, randomBytes } from 'node:crypto'

/** What a machine proves itself with at the gateway: 256 random bits as hex, kept only as the SHA-256 of that text. */
export const newSecret = (): string => randomBytes(32).toString('hex')
export const secretHash = (secret: string): Buffer => createHash('sha256').update(secret).digest()
