import { randomInt } from 'node:crypto'
import { hashMade } from '../../../server/passwords.ts'
import { bi } from '../../../shared/text.ts'
import { neutralised } from '../../jobs/rules.ts'

// without what people mix up when they read a password to each other: 0 O 1 l I
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
const digits = '23456789'

/** Fourteen letters and digits, about 80 bits, of both kinds. */
export function madePassword(minLength: number): string {
  const all = letters + digits
  for (;;) {
    const made = Array.from(
      { length: Math.max(14, minLength) },
      () => all[randomInt(all.length)],
    ).join('')
    if (/[a-zA-Z]/.test(made) && /\d/.test(made)) return made
  }
}

/** One for each line of an import. */
export type FirstPasswords = ReadonlyMap<
  number,
  { readonly password: string; readonly hash: string }
>
export async function firstPasswords(
  lines: readonly number[],
  minLength: number,
): Promise<FirstPasswords> {
  const made = lines.map((line) => [line, madePassword(minLength)] as const)
  return new Map(
    await Promise.all(
      made.map(
        async ([line, password]) => [line, { password, hash: await hashMade(password) }] as const,
      ),
    ),
  )
}
export function firstHash(first: FirstPasswords, line: number): string {
  const found = first.get(line)
  if (!found) throw new Error(`no password was made for line ${line}`)
  return found.hash
}

type Row = {
  readonly line: number
  readonly value: { readonly username: string; readonly realName: string }
}
/**
 * What the answer of the import brings this once; with the mark that tells spreadsheets it is
 * UTF-8.
 */
export function passwordFile(
  first: FirstPasswords,
  rows: readonly Row[],
): { label: string; fileName: string; text: string } {
  const lines = [
    ['用户名 Username', '真实姓名 Real name', '初始密码 First password'],
    ...rows.map(({ line, value }) => [
      value.username,
      value.realName,
      first.get(line)?.password ?? '',
    ]),
  ]
  const text = lines
    .map((cells) => cells.map((cell) => `"${neutralised(cell).replaceAll('"', '""')}"`).join(','))
    .join('\r\n')
  return {
    label: bi(
      '初始密码文件（只提供这一次，每人首次登录须修改）',
      'First passwords (given this once; everybody changes his at the first sign-in)',
    ),
    fileName: bi('初始密码.csv', 'first-passwords.csv'),
    text: `\uFEFF${text}\r\n`,
  }
}
