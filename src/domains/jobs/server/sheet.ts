import { streamCsvRows } from 'hucre/csv'
import { type CellValue, streamXlsxRows, type WriteSheet, writeXlsx } from 'hucre/xlsx'
import type { Importer, ImportRow, RowError } from '../../../server/importers.ts'
import { Refusal } from '../../../shared/errors.ts'
import { bi, type Lang, say } from '../../../shared/text.ts'
import { jobErrors } from '../contract.ts'
import { doubled, headerKey, jobLimits, neutralised } from '../rules.ts'
import { plainZip } from './unzip.ts'

type Line = { readonly line: number; readonly cells: readonly string[] }
/** A file as its person wrote it, and what the importer may take of it. */
export type Sheet = {
  readonly header: readonly string[]
  readonly lines: readonly Line[]
  readonly rows: readonly ImportRow<never>[]
  readonly errors: readonly RowError[]
}

const refuse = (def: (typeof jobErrors)[keyof typeof jobErrors]) => new Refusal(def, {}, [{ field: 'file', text: def.text }])
const mostColumns = 200
const longestLine = 65_536

/** By content, never by name: a workbook is a zip, everything else has to be text. */
export async function readSheet(bytes: Buffer, importer: Importer): Promise<Sheet> {
  if (bytes.length === 0) throw refuse(jobErrors.fileBroken)
  if (bytes.length > jobLimits.importBytes) throw refuse(jobErrors.fileTooLarge)
  const [head, ...lines] = bytes.subarray(0, 2).toString('latin1') === 'PK' ? await workbookLines(bytes) : csvLines(bytes)
  const keys = columnsOf(head?.cells ?? [], importer)
  if (lines.length === 0) throw refuse(jobErrors.noRows)
  if (lines.length > jobLimits.importRows) throw refuse(jobErrors.wrongRowCount)
  return { header: head?.cells ?? [], lines, ...checkedRows(lines, keys, importer) }
}

async function workbookLines(bytes: Buffer): Promise<Line[]> {
  if (bytes.length < 22) throw refuse(jobErrors.fileBroken)
  const plain = await plainZip(bytes)
  const lines: Line[] = []
  try {
    for await (const { index, values } of streamXlsxRows(plain, { sheet: 0 })) if (!take(lines, index + 1, values)) break
  } catch (error) {
    throw error instanceof Refusal ? error : refuse(jobErrors.fileBroken)
  }
  return lines
}

function csvLines(bytes: Buffer): Line[] {
  const text = decoded(bytes)
  if (longLine(text)) throw refuse(jobErrors.fileUnsafe)
  const lines: Line[] = []
  let line = 0
  try {
    for (const values of streamCsvRows(text, { typeInference: false })) {
      line += 1
      if (!take(lines, line, values)) break
    }
  } catch (error) {
    throw error instanceof Refusal ? error : refuse(jobErrors.fileBroken)
  }
  return lines
}

/** UTF-8, or what Excel in China writes; anything with control characters is no text. */
function decoded(bytes: Buffer): string {
  for (const encoding of ['utf-8', 'gb18030']) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
      if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) || /^\s*[<{%]/.test(text)) break
      return text
    } catch {
      // not this encoding
    }
  }
  throw refuse(jobErrors.fileType)
}

/** A line no sheet has: cutting it into cells would cost more than it is worth. */
function longLine(text: string): boolean {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    if ((end < 0 ? text.length : end) - at > longestLine) return true
    if (end < 0) return false
    at = end + 1
  }
  return false
}

/** False when there are more lines than any import may have. */
function take(lines: Line[], line: number, values: readonly CellValue[]): boolean {
  if (values.slice(mostColumns).some((value) => cellText(value) !== '')) throw refuse(jobErrors.wrongTemplate)
  const cells = values.slice(0, mostColumns).map(cellText)
  while (cells.at(-1) === '') cells.pop()
  if (cells.length) lines.push({ line, cells })
  return lines.length <= jobLimits.importRows + 1
}

/** What a person typed: long numbers whole, days without a time. */
function cellText(value: CellValue): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString().slice(0, 19).replace('T', ' ').replace(' 00:00:00', '')
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  if (typeof value === 'boolean') return value ? '是' : '否'
  return value.normalize('NFC').trim()
}

/** Key of each column by its head, in either language; unknown, doubled or missing heads are another template. */
function columnsOf(head: readonly string[], importer: Importer): string[] {
  const known = new Map(importer.columns.flatMap(({ key, title }) => (['zh-CN', 'en'] as const).map((lang) => [headerKey(say(title, lang)), key] as const)))
  const keys = head.map((cell) => known.get(headerKey(cell)) ?? '')
  const complete = importer.columns.every(({ key, required }) => !required || keys.includes(key))
  if (!complete || keys.includes('') || new Set(keys).size !== keys.length) throw refuse(jobErrors.wrongTemplate)
  return keys
}

function checkedRows(lines: readonly Line[], keys: readonly string[], importer: Importer): Pick<Sheet, 'rows' | 'errors'> {
  const errors: RowError[] = []
  const rows: ImportRow<never>[] = []
  for (const { line, cells } of lines) {
    if (cells.length > keys.length) errors.push({ line, text: bi('该行比表头多出内容', 'This row has more cells than the header') })
    const given = Object.fromEntries(keys.flatMap((key, index) => (cells[index] ? [[key, cells[index]]] : [])))
    const found = importer.row.safeParse(given)
    if (found.success) rows.push({ line, value: found.data as never })
    else for (const issue of found.error.issues) errors.push({ line, column: String(issue.path[0] ?? ''), text: issue.message })
  }
  for (const key of importer.unique ?? []) {
    for (const { line, others } of doubled(rows, (value) => (value as Record<string, unknown>)[key])) {
      const list = others.slice(0, 5).join('、')
      errors.push({ line, column: key, text: bi(`与第${list}行重复`, `The same as in row ${others.slice(0, 5).join(', ')}`) })
    }
  }
  return { rows, errors: errors.sort((a, b) => a.line - b.line) }
}

/** An empty form, and a second sheet that explains it. */
export function templateFile(importer: Importer, lang: Lang): Promise<Uint8Array> {
  const text = (value: string | undefined) => (value ? neutralised(say(value, lang)) : '')
  const heads = importer.columns.map(({ title, required }) => `${say(title, lang)}${required ? '*' : ''}`)
  const words = [bi('列名', 'Column'), bi('必填', 'Required'), bi('说明', 'Note'), bi('示例', 'Example')].map((word) => say(word, lang))
  const notes = importer.columns.map(({ title, required, note, example }) => [say(title, lang), required ? '*' : '', text(note), text(example)])
  const sheets: WriteSheet[] = [
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
  return writeXlsx({ sheets })
}

/** The person's own file with one more column that says what is wrong. */
export function markedFile(sheet: Sheet, errors: readonly RowError[], importer: Importer, lang: Lang): Promise<Uint8Array> {
  const titles = new Map(importer.columns.map(({ key, title }) => [key, say(title, lang)]))
  const byLine = Map.groupBy(errors, ({ line }) => line)
  const width = sheet.header.length
  const said = (error: RowError) => `${error.column ? `${titles.get(error.column) ?? error.column}: ` : ''}${say(error.text, lang)}`
  const rows = sheet.lines.map(({ line, cells }) => [
    ...Array.from({ length: width }, (_, i) => neutralised(cells[i] ?? '')),
    (byLine.get(line) ?? []).map(said).join('; '),
  ])
  const heads = [...sheet.header.map(neutralised), say(bi('错误', 'Errors'), lang)]
  return writeXlsx({
    sheets: [
      {
        name: say(importer.title, lang).slice(0, 31),
        columns: heads.map((_, i) => ({ width: i === width ? 60 : 18 })),
        rows: [heads, ...rows],
        freezePane: { rows: 1 },
      },
    ],
  })
}
