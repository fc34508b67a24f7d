import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { FileFault } from './fileFault.ts'

/**
 * A workbook of a thousand rows unpacks to a few megabytes; of tags and entities, each costs its
 * reader far more than its bytes, and a row costs as many cells as its last one is far.
 */
const limits = {
  entries: 200,
  bytes: 16 * 1024 * 1024,
  tags: 1_000_000,
  tagsBesideSheets: 300_000,
  cells: 1_000_000,
}
const inflate = promisify(inflateRaw) as (
  data: Buffer,
  options: { maxOutputLength: number },
) => Promise<Buffer>
const broken = () => new FileFault('fileBroken')
const unsafe = () => new FileFault('fileUnsafe')

type Entry = { name: Buffer; data: Buffer }

/**
 * A zip unpacked within bounds and packed again without compression: whatever lies in its headers,
 * the reader of sheets only ever sees what was measured here.
 */
export async function plainZip(bytes: Buffer): Promise<Buffer> {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > bytes.length) throw broken()
  const count = bytes.readUInt16LE(end + 10)
  if (count === 0) throw broken()
  if (count > limits.entries) throw unsafe()
  const entries: Entry[] = []
  let at = bytes.readUInt32LE(end + 16)
  let left = limits.bytes
  const tags = { all: 0, beside: 0 }
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== 0x02014b50) throw broken()
    const nameLength = bytes.readUInt16LE(at + 28)
    const data = await unpacked(bytes, at, left)
    left -= data.length
    const name = bytes.subarray(at + 46, at + 46 + nameLength)
    const found = tagsOf(data)
    tags.all += found
    if (!/\/sheet\d*\.xml$/i.test(name.toString('latin1'))) tags.beside += found
    if (
      tags.all > limits.tags ||
      tags.beside > limits.tagsBesideSheets ||
      cellsOf(data) > limits.cells
    )
      throw unsafe()
    entries.push({ name, data })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return packed(entries)
}

function tagsOf(data: Buffer): number {
  let count = 0
  for (const byte of data) if (byte === 60 || byte === 38) count += 1
  return count
}

/** The begin of a row, or where a cell says it stands: `r="XFD7"`, however it is written. */
const places = /[<:]row(?=[\s/>])|[\s"']r\s*=\s*["']?([a-z]*)(&?)/gi
const widest = 16_384

/**
 * How many cells the rows have room for, were any part a sheet: at least as many as its reader will
 * make.
 */
function cellsOf(data: Buffer): number {
  let [all, width] = [0, 0]
  for (const [, letters, entity] of data.toString('latin1').matchAll(places)) {
    if (letters === undefined) {
      all += width
      width = 0
    } else width = Math.max(width, entity || letters.length > 3 ? widest : columnOf(letters))
    if (all > limits.cells) break
  }
  return all + width
}
const columnOf = (letters: string): number =>
  [...letters.toUpperCase()].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0)

async function unpacked(bytes: Buffer, at: number, most: number): Promise<Buffer> {
  const [flags, method, size, start] = [
    bytes.readUInt16LE(at + 8),
    bytes.readUInt16LE(at + 10),
    bytes.readUInt32LE(at + 20),
    bytes.readUInt32LE(at + 42),
  ]
  if (
    flags & 1 ||
    (method !== 0 && method !== 8) ||
    start + 30 > bytes.length ||
    bytes.readUInt32LE(start) !== 0x04034b50
  )
    throw broken()
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
  if (from + size > bytes.length) throw broken()
  const raw = bytes.subarray(from, from + size)
  if (method === 0) {
    if (raw.length > most) throw unsafe()
    return raw
  }
  try {
    return await inflate(raw, { maxOutputLength: Math.max(1, most) })
  } catch (error) {
    throw (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? unsafe() : broken()
  }
}

function packed(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = []
  const heads: Buffer[] = []
  let offset = 0
  for (const { name, data } of entries) {
    // version 2.0, utf-8 names, stored; the central head repeats the local one between its own
    // fields
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(0x0800, 2)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), fields, name, data)
    heads.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, tail, name)
    offset += 30 + name.length + data.length
  }
  const central = Buffer.concat(heads)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}
