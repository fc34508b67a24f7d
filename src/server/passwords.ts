import { hash, verify } from '@node-rs/argon2'
import { pinyin } from 'pinyin-pro'

/** argon2id with the parameters of quality.md T8: 19 MiB, two passes, one lane. */
const options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

export function hashPassword(password: string): Promise<string> {
  passwordWork.hashed += 1
  return hash(password, options)
}

/**
 * For passwords made here at random (80 bits and more): nobody tries them all, however quick one
 * try is. A thousand in a moment.
 */
export const hashMade = (password: string): Promise<string> =>
  hash(password, { ...options, memoryCost: 8, timeCost: 1 })
const isQuick = (stored: string | undefined): boolean => stored?.includes('$m=8,t=1,') ?? false

/**
 * How many hashes were compared and made: tests assert that every way through sign-in does the same
 * work.
 */
export const passwordWork = { compared: 0, hashed: 0 }

/**
 * Verifies against a throw-away hash when there is none, so that an unknown name costs the same
 * work.
 */
let nobody: Promise<string> | undefined
export async function checkPassword(
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  nobody ??= hashPassword('no account has this password 0')
  passwordWork.compared += 1
  const matches = await verify(stored ?? (await nobody), password)
  // a password that was made takes as long as one that was typed
  if (isQuick(stored)) await verify(await nobody, password)
  return stored !== undefined && matches
}

/**
 * Words near an account as people type them: names as they are written, in pinyin and by its
 * initials.
 */
export function nearWords(texts: readonly string[]): string[] {
  return texts.filter(Boolean).flatMap((text) => {
    const parts = (pattern: 'pinyin' | 'first') =>
      pinyin(text, { toneType: 'none', pattern, type: 'array', nonZh: 'removed' })
    const syllables = parts('pinyin')
    // a firm's own name stands behind its town's
    const whole = [0, 2].flatMap((from) =>
      [2, 3, 4, syllables.length].map((n) => syllables.slice(from, from + n).join('')),
    )
    return [text, ...text.split(/\s+/), ...whole, parts('first').join('')].filter(
      (word) => word.length >= 2,
    )
  })
}
