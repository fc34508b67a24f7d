import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Contract } from '../shared/contract.ts'
import { contracts } from './product.ts'

/** Another column says it by its name, or it is a place on the map. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  stores: ['userId', 'paymentConfigId', 'county', 'lng', 'lat'],
  suppliers: ['supplierOrgId'],
  users: ['regionCode'],
}

/** Lists whose records are edited in a dialog; `update` is the contract's, or one said in its place. */
const lists = globSync('src/domains/*/web/*.tsx').flatMap((file) => {
  const code = readFileSync(file, 'utf8')
  const [, folder = '', list = ''] = /src\/domains\/([\w-]+)\/web\/(\w+)/.exec(file) ?? []
  const domain = folder.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const [, update = 'update'] = /\bupdate: \w+\.(\w+)/.exec(code) ?? []
  const endpoint = (contracts as Record<string, Contract>)[domain]?.[update]
  if (!endpoint || !/records=\{\{[^}]*\bfields: /.test(code)) return []
  const fields = Object.keys(endpoint.input.shape).filter(
    (key) => key !== 'id' && key !== 'version',
  )
  const forms = globSync(`src/domains/${folder}/web/*.tsx`)
    .map((other) => readFileSync(other, 'utf8'))
    .join('\n')
  return [{ domain, list, code, forms, fields }]
})

test.each(lists)('$list: what can be changed has a field', ({ forms, fields }) =>
  expect(fields.filter((key) => !forms.includes(`name="${key}"`))).toEqual([]),
)
test.each(lists)('$list: what can be changed is shown', ({ domain, code, fields }) =>
  expect(fields.filter((key) => !new RegExp(`\\b${key}\\b`).test(code))).toEqual(
    elsewhere[domain] ?? [],
  ),
)
