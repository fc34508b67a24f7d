import { z } from 'zod'
import type { Handlers } from '../../../server/bind.ts'
import { baseType, type Endpoint } from '../../../shared/contract.ts'
import { common, type ErrorDef } from '../../../shared/errors.ts'
import type { Texts } from '../../../shared/locale.ts'
import { say } from '../../../shared/text.ts'
import { textsOver } from '../../../shared/words.ts'
import { contracts, locales } from '../../product.ts'
import type { DictionaryRow, settings } from '../contract.ts'

/**
 * Every word of the interface: values of enums as the screens say them, and errors by number. Built
 * once, at the first look.
 */
let built: readonly DictionaryRow[] | undefined
export const words = (): readonly DictionaryRow[] => {
  built ??= [...enums(), ...errors()]
  return built
}

function enums(): DictionaryRow[] {
  const rows = new Map<string, DictionaryRow>()
  for (const [area, contract] of Object.entries(contracts))
    for (const endpoint of Object.values(contract as Record<string, Endpoint>)) {
      const seen = new Set<z.ZodType>()
      for (const shape of [endpoint.input, endpoint.output])
        walk(shape, '', seen, (field, values) => {
          for (const value of values) add(area, field, value)
        })
    }
  return [...rows.values()]

  function add(area: string, field: string, value: string): void {
    const [zh, en] = [
      textAt(area, 'zh', 'enums', field, value),
      textAt(area, 'en', 'enums', field, value),
    ]
    // sort keys and the like are no words
    if (zh === undefined || en === undefined) return
    const fieldName = textAt(area, 'zh', 'fields', field) ?? field
    const fieldNameEn = textAt(area, 'en', 'fields', field) ?? field
    const key = `${area}.${field}.${value}`
    rows.set(key, { key, kind: 'ENUM', area, field, fieldName, fieldNameEn, value, zh, en })
  }
}

function walk(
  type: z.ZodType,
  field: string,
  seen: Set<z.ZodType>,
  found: (field: string, values: readonly string[]) => void,
): void {
  const base = baseType(type)
  if (base instanceof z.ZodEnum) return found(field, base.options.map(String))
  if (base instanceof z.ZodArray) return walk(base.element as z.ZodType, field, seen, found)
  if (base instanceof z.ZodUnion)
    for (const option of base.options as z.ZodType[]) walk(option, field, seen, found)
  if (!(base instanceof z.ZodObject) || seen.has(base)) return
  seen.add(base)
  for (const [name, inner] of Object.entries(base.shape))
    walk(inner as z.ZodType, name, seen, found)
}

function textAt(area: string, lang: 'zh' | 'en', ...path: string[]): string | undefined {
  let at: string | Texts | undefined = textsOver(locales[area], lang === 'en' ? 'en' : 'zh-CN')
  for (const step of path) at = typeof at === 'object' ? at[step] : undefined
  return typeof at === 'string' ? at : undefined
}

function errors(): DictionaryRow[] {
  const defs = new Map<string, ErrorDef>(Object.values(common).map((def) => [def.name, def]))
  for (const contract of Object.values(contracts))
    for (const endpoint of Object.values(contract as Record<string, Endpoint>))
      for (const def of endpoint.errors) defs.set(def.name, def)
  return [...defs.values()].map((def) => {
    const [area = '', field = ''] = def.name.split('.')
    return {
      key: `error.${def.name}`,
      kind: 'ERROR',
      area,
      field,
      fieldName: field,
      fieldNameEn: field,
      value: String(def.code),
      zh: say(def.text, 'zh-CN'),
      en: say(def.text, 'en'),
    }
  })
}

export const dictionary: Handlers<typeof settings>['dictionary'] = async (_ctx, input) => {
  const needle = input.keyword?.toLowerCase()
  const descending = input.sort.startsWith('-')
  const by = input.sort.replace(/^-/, '') as 'area' | 'field' | 'value'
  const rows = words()
    .filter((row) => !input.kind || row.kind === input.kind)
    .filter((row) => !input.area || row.area === input.area)
    .filter(
      (row) =>
        !needle ||
        [row.field, row.fieldName, row.fieldNameEn, row.value, row.zh, row.en].some((text) =>
          text.toLowerCase().includes(needle),
        ),
    )
    .sort(
      (a, b) =>
        (descending ? -1 : 1) * (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0) ||
        (a.key < b.key ? -1 : 1),
    )
  const start = (input.page - 1) * input.pageSize
  return { list: rows.slice(start, start + input.pageSize), total: rows.length }
}
