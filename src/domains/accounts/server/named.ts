import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { HomeKind } from '../../../shared/access.ts'
import { bi } from '../../../shared/text.ts'

/**
 * Organisations that a file names: by code, whatever its case, or by a name that only one of them
 * has.
 */

const none = bi('机构不存在', 'There is no such organisation')
const many = bi(
  '有多个同名机构，请填写机构编号',
  'Several organisations have this name; use the code',
)

/** Condition on organisations `o`: one of the words may mean it. */
export const namedByOneOf = (words: readonly string[]): RawBuilder<boolean> =>
  sql`(o.code = any(${words.map((word) => word.toUpperCase())}::text[])
    or o.name = any(${[...words]}::text[]))`

export type Named = {
  id: number
  code: string
  name: string
  kind: HomeKind
  status: string
  path: string
}
/** Those the actor sees; read once for all rows of a file. */
export const organisationsNamed = (ctx: Ctx, words: readonly string[]): Promise<Named[]> =>
  rowsOf<Named>(
    ctx.db,
  )`select o.id, o.code, o.name, o.kind, o.status, o.path::text as path from organisations o
      where ${visible(ctx, 'o.id')} and ${namedByOneOf(words)}`

/** What the word means among them, or why nothing (packed with `bi`). */
export function meant<O extends { code: string; name: string }>(
  organisations: readonly O[],
  word: string,
): O | string {
  const byCode = organisations.find(({ code }) => code === word.toUpperCase())
  const [first, second] = organisations.filter(({ name }) => name === word)
  return byCode ?? (second ? many : (first ?? none))
}
