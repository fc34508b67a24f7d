import { crc32, deflateRawSync } from 'node:zlib'
import { type CellValue, writeXlsx } from 'hucre/xlsx'

/** Files for tests of imports: sound ones, and parts to build bad ones from. */
export const xlsx = async (rows: CellValue[][]): Promise<Buffer> =>
  Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows }] }))

type Entry = {
  name: string
  data: Buffer
  method?: number
  flags?: number
  claimed?: number
  raw?: Buffer
}

/** A zip with whatever its headers should say. */
export function zip(
  entries: readonly Entry[],
  change: { count?: number; offset?: number } = {},
): Buffer {
  const parts: Buffer[] = []
  const heads: Buffer[] = []
  let at = 0
  for (const { name, data, method = 8, flags = 0, claimed = data.length, raw } of entries) {
    const body = raw ?? (method === 8 ? deflateRawSync(data) : data)
    const label = Buffer.from(name)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(method, 8)
    local.writeUInt32LE(crc32(data), 14)
    local.writeUInt32LE(body.length, 18)
    local.writeUInt32LE(claimed, 22)
    local.writeUInt16LE(label.length, 26)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    local.copy(central, 6, 4, 30)
    central.writeUInt32LE(at, 42)
    parts.push(local, label, body)
    heads.push(central, label)
    at += 30 + label.length + body.length
  }
  const directory = Buffer.concat(heads)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(change.count ?? entries.length, 8)
  end.writeUInt16LE(change.count ?? entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(change.offset ?? at, 16)
  return Buffer.concat([...parts, directory, end])
}

/** The parts of a small workbook around a sheet of one's own. */
export function workbook(sheet: string | Buffer, more: readonly Entry[] = []): Buffer {
  const text = (name: string, data: string): Entry => ({ name, data: Buffer.from(data) })
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const packages = 'http://schemas.openxmlformats.org/package/2006'
  const texts = more.some(({ name }) => name === 'xl/sharedStrings.xml')
    ? `<Relationship Id="r2" Type="${office}/sharedStrings" Target="sharedStrings.xml"/>`
    : ''
  return zip([
    text(
      '[Content_Types].xml',
      `<?xml version="1.0"?><Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
    ),
    text(
      '_rels/.rels',
      `<?xml version="1.0"?><Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    text(
      'xl/workbook.xml',
      `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    text(
      'xl/_rels/workbook.xml.rels',
      `<?xml version="1.0"?><Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>${texts}</Relationships>`,
    ),
    { name: 'xl/worksheets/sheet1.xml', data: Buffer.from(sheet) },
    ...more,
  ])
}
export const sheetXml = (rows: string): string =>
  `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`
export const cell = (ref: string, text: string): string =>
  `<c r="${ref}" t="inlineStr"><is><t>${text}</t></is></c>`
