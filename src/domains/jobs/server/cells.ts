import type { CellValue, ColumnDef } from 'hucre/xlsx'
import { z } from 'zod'
import { baseType } from '../../../shared/contract.ts'
import { unitOf } from '../../../shared/exportFields.ts'
import type { Texts } from '../../../shared/locale.ts'
import { bi, type Lang, say } from '../../../shared/text.ts'
import { neutralised, shanghaiText } from '../rules.ts'

export type SheetColumn = { readonly def: ColumnDef; readonly cell: (value: unknown) => CellValue }

const textAt = (texts: Texts, ...path: string[]): string | undefined => {
  let found: Texts | string | undefined = texts
  for (const key of path) found = typeof found === 'object' ? (found as Texts)[key] : undefined
  return typeof found === 'string' ? found : undefined
}

/** Whether the field has a name a person can read; without one it is not written. */
export const hasTitle = (texts: Texts, key: string): boolean =>
  textAt(texts, 'fields', key) !== undefined

const yesNo = { true: bi('是', 'Yes'), false: bi('否', 'No') }

/**
 * One field of a list's row as a column of a sheet: its title and how its values are written in
 * `lang`.
 */
export function sheetColumn(key: string, type: z.ZodType, texts: Texts, lang: Lang): SheetColumn {
  const base = baseType(type)
  const title = textAt(texts, 'fields', key) ?? key
  const fen = unitOf(type) === 'fen'
  const permille = unitOf(type) === 'permille'
  const instant = unitOf(type) === 'instant'
  const word = (value: string) => textAt(texts, 'enums', key, value) ?? value
  const one = (value: unknown, inner: z.ZodType): CellValue => {
    if (value === null || value === undefined || value === '') return null
    if (fen) return Number(value) / 100
    if (permille) return Number(value) / 1000
    if (instant) return shanghaiText(String(value))
    if (typeof value === 'boolean') return say(yesNo[value ? 'true' : 'false'], lang)
    if (typeof value === 'number') return value
    // a record among records is said by its name
    if (typeof value === 'object') return one((value as { name?: unknown }).name, inner)
    return neutralised(inner instanceof z.ZodEnum ? word(String(value)) : String(value))
  }
  const list = base instanceof z.ZodArray ? baseType(base.element as z.ZodType) : null
  return {
    def: {
      header: title,
      width: instant ? 20 : Math.min(40, Math.max(12, title.length * 2 + 2)),
      ...(fen ? { numFmt: '0.00' } : permille ? { numFmt: '0.0%' } : {}),
    },
    cell: list
      ? (value) =>
          Array.isArray(value)
            ? neutralised(
                value.map((item) => one(item, list) ?? '').join(lang === 'en' ? ', ' : '、'),
              )
            : null
      : (value) => one(value, base),
  }
}
