import { readFileSync } from 'node:fs'
import { hash, verify } from '@node-rs/argon2'

/** argon2id with the parameters of quality.md T8: 19 MiB, two passes, one lane. */
const options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

export const hashPassword = (password: string): Promise<string> => hash(password, options)

/** How many hashes were compared: tests assert that every way through sign-in does the same work. */
export const passwordWork = { compared: 0 }

/** Verifies against a throw-away hash when there is none, so that an unknown name costs the same work. */
let nobody: Promise<string> | undefined
export async function checkPassword(stored: string | undefined, password: string): Promise<boolean> {
  nobody ??= hashPassword('no account has this password 0')
  passwordWork.compared += 1
  const matches = await verify(stored ?? (await nobody), password)
  return stored !== undefined && matches
}

let known: ReadonlySet<string> | undefined
/** Most common passwords, lower case; one a line in commonPasswords.txt. */
export function commonPasswords(): ReadonlySet<string> {
  known ??= new Set(
    readFileSync(new URL('./commonPasswords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter(Boolean),
  )
  return known
}
