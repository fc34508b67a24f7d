import { fieldRefusal } from '../../../shared/errors.ts'
import { bi } from '../../../shared/text.ts'
import { roles as builtinRoles } from '../../accounts/roles.ts'
import { mostHeld, roleErrors } from '../rules.ts'

/**
 * Roles that a file names. Built-in roles are meant by their code and both names; nobody else's
 * role is called so.
 */

const none = bi('角色不存在或无权分配', 'No such role, or not yours to give')
const many = bi(
  '有多个同名角色，请填写角色标识',
  'Several roles have this name; use the identifier',
)
const tooMany = bi(`最多${mostHeld}个角色`, `At most ${mostHeld} roles`)

/** Letters of the built-in names in their other form. */
const simple: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...'運运營营級级員员補补貨货維维財财務务應应貼贴廣广學学醫医藥药監监總总組组織织機机構构貿贸區区遠远櫃柜導导購购銷销賣卖',
  ].flatMap((sign, at, all) => (at % 2 ? [] : [[sign, all[at + 1] as string]])),
)
const folded = (word: string): string => word.normalize('NFKC').replace(/\s/g, '').toLowerCase()
/**
 * What a reader takes for the same: without marks, signs and spaces, in the simple form of its
 * letters.
 */
const alike = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]|\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/./gu, (sign) => simple[sign] ?? sign)
    .toLowerCase()
const builtinWords = new Set(
  builtinRoles.flatMap((role) => [role.code, role.zh, role.en]).map(alike),
)
const meansBuiltin = (word: string): boolean => builtinWords.has(alike(word))

type Names = { name: string; nameEn: string }
/**
 * A role called like a built-in one would be taken for it wherever roles are named. `before`: names
 * it has already.
 */
export function checkNames(next: Names, before?: Names): void {
  for (const field of ['name', 'nameEn'] as const)
    if (next[field] !== before?.[field] && meansBuiltin(next[field]))
      throw fieldRefusal(roleErrors.nameTaken, field)
}

type Nameable = { code: string; name: string; nameEn: string; builtin: boolean }
/**
 * Answers for one cell after the other, roles with commas between, or why not; a thousand cells of
 * words that nobody knows cost what their words do. A code comes before a name and built-in before
 * custom. `fits`: whether people of the row's organisation may hold it, which decides between custom
 * roles of one name.
 */
export function rolesNamed<R extends Nameable>(
  known: readonly R[],
): (words: string, fits: (role: R) => boolean) => R[] | string {
  const byCode = Map.groupBy(known, ({ code }) => folded(code))
  const names = known.flatMap((role) =>
    [...new Set([role.name, role.nameEn].map(folded))].map((name) => ({ name, role })),
  )
  const byName = Map.groupBy(names, ({ name }) => name)

  function meant(word: string, fits: (role: R) => boolean): R | string {
    const wanted = folded(word)
    const called = (byName.get(wanted) ?? []).map(({ role }) => role)
    const builtin = called.filter((role) => role.builtin)
    const custom = called.length && meansBuiltin(word) ? [] : called
    const hits = [byCode.get(wanted) ?? [], builtin, custom].find((tier) => tier.length) ?? []
    const [first, second] = hits.filter(fits)
    return second ? many : (first ?? hits[0] ?? none)
  }

  return (words, fits) => {
    const wanted = words.split(/[、,，;；]/).filter((word) => word.trim())
    if (wanted.length > mostHeld) return tooMany
    const found = wanted.map((word) => meant(word, fits))
    const unclear = found.find((role) => typeof role === 'string')
    return wanted.length ? (unclear ?? [...new Set(found as R[])]) : none
  }
}
