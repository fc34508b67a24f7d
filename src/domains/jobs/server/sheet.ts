import { type WriteSheet, writeXlsx } from 'hucre/xlsx'
import type { z } from 'zod'
import type { Importer, ImportRow, RowError } from '../../../server/importers.ts'
import { Overrun, openThreads } from '../../../server/threads.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { hasLines } from '../../../shared/fields.ts'
import { bi, type Lang, notStorable, plainText, say, storable } from '../../../shared/text.ts'
import { jobErrors } from '../contract.ts'
import { doubled, headerKey, jobLimits, neutralised } from '../rules.ts'
import type { Line, SheetWork } from './sheetThread.ts'

/** A file as its person wrote it, and what the importer may take of it. */
export type Sheet = {
  readonly header: readonly string[]
  readonly lines: readonly Line[]
  readonly rows: readonly ImportRow<never>[]
  /** Rows that are not well formed, with what of them is. */
  readonly halves: readonly ImportRow<never>[]
  readonly errors: readonly RowError[]
  readonly sha256: string
}

const refuse = (name: keyof typeof jobErrors) => fieldRefusal(jobErrors[name], 'file')
/**
 * One at a time each: what is written, within a transaction, does not wait behind what strangers
 * sent.
 */
const bounds = { threads: 1, waiting: 5, seconds: 10, megabytes: 192 } as const
const reading = openThreads<SheetWork>(new URL('./sheetThread.ts', import.meta.url), {
  ...bounds,
  apart: true,
})
const writing = openThreads<SheetWork>(new URL('./sheetThread.ts', import.meta.url), bounds)

/** What the file says, read apart; whatever is too much for a sheet of people is refused there. */
export async function readSheet(bytes: Buffer, importer: Importer, orgId: number): Promise<Sheet> {
  if (bytes.length === 0) throw refuse('fileBroken')
  if (bytes.length > jobLimits.importBytes) throw refuse('fileTooLarge')
  const read = await reading('readLines', bytes, { orgId }).catch((error: unknown) => {
    throw error instanceof Overrun ? refuse('fileTooComplex') : error
  })
  if ('fault' in read) throw refuse(read.fault)
  const [head, ...lines] = read.lines
  const keys = columnsOf(head?.cells ?? [], importer)
  if (lines.length === 0) throw refuse('noRows')
  if (lines.length > jobLimits.importRows) throw refuse('wrongRowCount')
  return {
    header: head?.cells ?? [],
    lines,
    sha256: read.sha256,
    ...checkedRows(lines, keys, importer),
  }
}

/**
 * Key of each column by its head, in either language; unknown, doubled or missing heads are another
 * template.
 */
function columnsOf(head: readonly string[], importer: Importer): string[] {
  const known = new Map(
    importer.columns.flatMap(({ key, title }) =>
      (['zh-CN', 'en'] as const).map((lang) => [headerKey(say(title, lang)), key] as const),
    ),
  )
  const keys = head.map((cell) => known.get(headerKey(cell)) ?? '')
  const complete = importer.columns.every(({ key, required }) => !required || keys.includes(key))
  if (!complete || keys.includes('') || new Set(keys).size !== keys.length)
    throw refuse('wrongTemplate')
  return keys
}

function checkedRows(
  lines: readonly Line[],
  keys: readonly string[],
  importer: Importer,
): Pick<Sheet, 'rows' | 'halves' | 'errors'> {
  const errors: RowError[] = []
  const rows: ImportRow<never>[] = []
  const halves: ImportRow<never>[] = []
  for (const { line, cells } of lines) {
    if (cells.length > keys.length)
      errors.push({
        line,
        text: bi('该行比表头多出内容', 'This row has more cells than the header'),
      })
    const plain = keys.map(
      (key, index) =>
        [key, plainText(cells[index] ?? '', { lines: hasLines(importer.row.shape[key]) })] as const,
    )
    const bad = plain.filter(([, text]) => !storable(text))
    const filled = plain.filter(([, text]) => text)
    const found = importer.row.safeParse(Object.fromEntries(filled))
    if (bad.length || !found.success)
      halves.push({ line, value: wellFormed(filled, importer) as never })
    if (bad.length) for (const [column] of bad) errors.push({ line, column, text: notStorable })
    else if (found.success) rows.push({ line, value: found.data as never })
    else
      for (const issue of found.error.issues)
        errors.push({ line, column: String(issue.path[0] ?? ''), text: issue.message })
  }
  for (const unique of importer.unique ?? []) {
    const together = [unique].flat()
    const shared = (value: Record<string, unknown>) =>
      together.every((key) => value[key] !== undefined)
        ? JSON.stringify(together.map((key) => value[key]))
        : undefined
    for (const { line, others } of doubled(rows, shared)) {
      const first = others.slice(0, 5)
      errors.push({
        line,
        column: together.at(-1) ?? '',
        text: bi(`与第${first.join('、')}行重复`, `The same as in row ${first.join(', ')}`),
      })
    }
  }
  return { rows, halves, errors: errors.sort((a, b) => a.line - b.line) }
}
const wellFormed = (cells: readonly (readonly [string, string])[], { row }: Importer) =>
  Object.fromEntries(
    cells.flatMap(([key, text]) => {
      const found = storable(text)
        ? (row.shape[key] as z.ZodType | undefined)?.safeParse(text)
        : undefined
      return found?.success ? [[key, found.data]] : []
    }),
  )

const templates = new Map<string, Promise<Uint8Array>>()
/**
 * An empty form, and a second sheet that explains it: small, the same for everybody, so made once
 * and here.
 */
export function templateFile(importer: Importer, lang: Lang): Promise<Uint8Array> {
  const key = `${importer.kind} ${lang}`
  const made = templates.get(key) ?? writeXlsx({ sheets: templateSheets(importer, lang) })
  templates.set(key, made)
  return made
}

function templateSheets(importer: Importer, lang: Lang): WriteSheet[] {
  const text = (value: string | undefined) => (value ? neutralised(say(value, lang)) : '')
  const heads = importer.columns.map(
    ({ title, required }) => `${say(title, lang)}${required ? '*' : ''}`,
  )
  const words = [
    bi('列名', 'Column'),
    bi('必填', 'Required'),
    bi('说明', 'Note'),
    bi('示例', 'Example'),
  ].map((word) => say(word, lang))
  const notes = importer.columns.map(({ title, required, note, example }) => [
    say(title, lang),
    required ? '*' : '',
    text(note),
    text(example),
  ])
  return [
    {
      name: say(importer.title, lang).slice(0, 31),
      columns: heads.map((head) => ({ width: Math.max(14, head.length * 2 + 4) })),
      rows: [heads],
      freezePane: { rows: 1 },
    },
    {
      name: say(bi('填写说明', 'How to fill in'), lang),
      columns: [{ width: 20 }, { width: 8 }, { width: 50 }, { width: 24 }],
      rows: [words, ...notes],
      freezePane: { rows: 1 },
    },
  ]
}

/** The person's own file with one more column that says what is wrong. */
export function markedFile(
  sheet: Sheet,
  errors: readonly RowError[],
  importer: Importer,
  { lang, orgId }: { lang: Lang; orgId: number },
): Promise<Uint8Array> {
  const titles = new Map(importer.columns.map(({ key, title }) => [key, say(title, lang)]))
  const byLine = Map.groupBy(errors, ({ line }) => line)
  const width = sheet.header.length
  const said = (error: RowError) =>
    `${error.column ? `${titles.get(error.column) ?? error.column}: ` : ''}${say(error.text, lang)}`
  const rows = sheet.lines.map(({ line, cells }) => [
    ...Array.from({ length: width }, (_, i) => neutralised(cells[i] ?? '')),
    (byLine.get(line) ?? []).map(said).join('; '),
  ])
  const heads = [...sheet.header.map(neutralised), say(bi('错误', 'Errors'), lang)]
  const marked: WriteSheet = {
    name: say(importer.title, lang).slice(0, 31),
    columns: heads.map((_, i) => ({ width: i === width ? 60 : 18 })),
    rows: [heads, ...rows],
    freezePane: { rows: 1 },
  }
  return writing('write', [marked], { orgId })
}
