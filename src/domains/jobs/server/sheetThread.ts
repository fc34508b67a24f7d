import { createHash } from 'node:crypto'
import { streamCsvRows } from 'hucre/csv'
import { type CellValue, streamXlsxRows, type WriteSheet, writeXlsx } from 'hucre/xlsx'
import { serveThread } from '../../../server/threadMain.ts'
import { jobLimits, sheetLimits } from '../rules.ts'
import { type Fault, FileFault } from './fileFault.ts'
import { plainZip } from './unzip.ts'

/**
 * Files of strangers are taken apart here, in a process of their own and within bounds; what is
 * written is packed in a thread.
 */
export type Line = { readonly line: number; readonly cells: readonly string[] }
export type Read =
  | { readonly fault: Fault }
  | { readonly lines: readonly Line[]; readonly sha256: string }

/** By content, never by name: a workbook is a zip, everything else has to be text. */
async function readLines(given: Uint8Array): Promise<Read> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  try {
    const lines =
      bytes.subarray(0, 2).toString('latin1') === 'PK'
        ? await workbookLines(bytes)
        : csvLines(bytes)
    return { lines, sha256: createHash('sha256').update(bytes).digest('hex') }
  } catch (error) {
    return { fault: error instanceof FileFault ? error.fault : 'fileBroken' }
  }
}

async function workbookLines(bytes: Buffer): Promise<Line[]> {
  if (bytes.length < 22) throw new FileFault('fileBroken')
  const taken = gather()
  for await (const { index, values } of streamXlsxRows(await plainZip(bytes), { sheet: 0 }))
    if (!taken.add(index + 1, values)) break
  return taken.lines
}

function csvLines(bytes: Buffer): Line[] {
  const text = decoded(bytes)
  checkSize(text)
  const taken = gather()
  let line = 0
  for (const values of streamCsvRows(text, { typeInference: false })) {
    line += 1
    if (!taken.add(line, values)) break
  }
  return taken.lines
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
  throw new FileFault('fileType')
}

/** Lines, cells and their lengths counted on the raw text, before anything is made of it. */
function checkSize(text: string): void {
  let [rows, cells, length, quoted] = [0, 0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    length += 1
    if (code === 34) quoted = !quoted
    else if (!quoted && code === 44) {
      length = 0
      cells += 1
    } else if (!quoted && (code === 10 || code === 13)) {
      length = 0
      cells = 0
      rows += 1
    }
    // a quote inside counts twice, \r\n for two rows
    if (length > 2 * sheetLimits.cell + 2) throw new FileFault('cellTooLong')
    if (cells > 10 * sheetLimits.columns) throw new FileFault('wrongTemplate')
    if (rows > 2 * sheetLimits.lines) throw new FileFault('tooManyLines')
  }
}

/** Takes row after row, empty ones too, for as long as an import may have more. */
function gather() {
  const lines: Line[] = []
  let [seen, text] = [0, 0]
  const add = (line: number, values: readonly CellValue[]): boolean => {
    seen += 1
    if (seen > sheetLimits.lines) throw new FileFault('tooManyLines')
    for (const value of values) {
      if (typeof value !== 'string') continue
      text += value.length
      if (value.length > sheetLimits.cell) throw new FileFault('cellTooLong')
      if (text > sheetLimits.text) throw new FileFault('tooMuchText')
    }
    if (values.slice(sheetLimits.columns).some((value) => cellText(value) !== ''))
      throw new FileFault('wrongTemplate')
    const cells = values.slice(0, sheetLimits.columns).map(cellText)
    while (cells.at(-1) === '') cells.pop()
    if (cells.length) lines.push({ line, cells })
    return lines.length <= jobLimits.importRows + 1
  }
  return { lines, add }
}

/** What a person typed: long numbers whole, days without a time. */
function cellText(value: CellValue): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date)
    return value.toISOString().slice(0, 19).replace('T', ' ').replace(' 00:00:00', '')
  if (typeof value === 'number')
    return Number.isInteger(value) ? BigInt(value).toString() : String(value)
  if (typeof value === 'boolean') return value ? '是' : '否'
  return value.trim()
}

const write = (sheets: WriteSheet[]): Promise<Uint8Array> => writeXlsx({ sheets })

const work = { readLines, write }
export type SheetWork = typeof work
serveThread(work)
