import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { words } from '../shared/words.ts'
import { locales } from './product.ts'

/** Names under `fields`, of the second kind of record of a domain too. */
const fieldsIn = (found: unknown): string[] =>
  Object.entries((found ?? {}) as Record<string, unknown>).flatMap(([key, inner]) =>
    typeof inner !== 'object' ? [] : key === 'fields' ? Object.keys(inner ?? {}) : fieldsIn(inner),
  )
/** `col('name')` and `<TextField name="name" />`, unless they bring a text of their own. */
const shown =
  /\bcol\('(\w+)'(?!(?:[^\n]*|,\s*\{\s*)\btitle:)|<\w*Field\b(?![^>]*\blabel=)[^>]*?\bname="(\w+)"/g
const screensOf = globSync('src/domains/*/web/**/*.tsx').map((file) => {
  const code = readFileSync(file, 'utf8')
  const [, , folder = ''] = file.split('/')
  const own = folder.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    file,
    // rows of another domain have its words
    domains: [
      own,
      ...[...code.matchAll(/useCols\(\w+, '(\w+)'\)/g)].map(([, other]) => `${other}`),
    ],
    names: [...code.matchAll(shown)].map(([, column, field]) => `${column ?? field}`),
  }
})
test.each(screensOf.filter(({ names }) => names.length > 0))(
  'columns and fields of $file have words',
  ({ domains, names }) => {
    const known = new Set([words.zh, ...domains.map((name) => locales[name]?.zh)].flatMap(fieldsIn))
    expect(names.filter((name) => !known.has(name))).toEqual([])
  },
)
