import { crc32, deflateRawSync } from 'node:zlib'

/** Small packages of the demo and of tests, as a build tool would write them. */
type App = { readonly target: string; readonly name: string; readonly code: number }

/** A zip with these files, packed. */
export function zipOf(files: Readonly<Record<string, Buffer>>): Buffer {
  const parts: Buffer[] = []
  const heads: Buffer[] = []
  let offset = 0
  for (const [file, data] of Object.entries(files)) {
    const [name, packed] = [Buffer.from(file), deflateRawSync(data)]
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(crc32(data), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(data.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    parts.push(Buffer.from('PK\u0003\u0004', 'latin1'), fields, name, packed)
    heads.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, tail, name)
    offset += 30 + name.length + packed.length
  }
  const central = Buffer.concat(heads)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(heads.length / 4, 8)
  end.writeUInt16LE(heads.length / 4, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}

const chunk = (type: number, head: Buffer, body: Buffer): Buffer => {
  const start = Buffer.alloc(8)
  start.writeUInt16LE(type, 0)
  start.writeUInt16LE(8 + head.length, 2)
  start.writeUInt32LE(8 + head.length + body.length, 4)
  return Buffer.concat([start, head, body])
}
const words = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [i, n] of numbers.entries()) bytes.writeUInt32LE(n >>> 0, 4 * i)
  return bytes
}
const none = 0xffffffff

/** The binary manifest of an app: its package, code and version name. */
export function manifestOf({ target, name, code }: App): Buffer {
  const texts = ['versionCode', 'versionName', 'package', 'manifest', target, name]
  const data = texts.map((text) => {
    const length = Buffer.alloc(2)
    length.writeUInt16LE(text.length)
    return Buffer.concat([length, Buffer.from(text, 'utf16le'), Buffer.alloc(2)])
  })
  let at = 0
  const offsets = data.map((bytes) => {
    at += bytes.length
    return at - bytes.length
  })
  const body = Buffer.concat(data)
  const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)])
  const strings = chunk(
    1,
    words(texts.length, 0, 0, 28 + 4 * texts.length, 0),
    Buffer.concat([words(...offsets), padded]),
  )
  const resources = chunk(0x180, Buffer.alloc(0), words(0x0101021b, 0x0101021c))
  const attribute = (key: number, raw: number, kind: number, value: number) =>
    Buffer.concat([words(none, key, raw), Buffer.from([8, 0, 0, kind]), words(value)])
  const counts = Buffer.alloc(12)
  counts.writeUInt16LE(20, 0)
  counts.writeUInt16LE(20, 2)
  counts.writeUInt16LE(3, 4)
  const element = chunk(
    0x102,
    words(1, none),
    Buffer.concat([
      words(none, 3),
      counts,
      attribute(0, none, 0x10, code),
      attribute(1, 5, 3, 5),
      attribute(2, 4, 3, 4),
    ]),
  )
  return chunk(3, Buffer.alloc(0), Buffer.concat([strings, resources, element]))
}

/** `more`: what else lies in it; a build that does not start says so to the simulated machine. */
export const apkOf = (app: App, more: Buffer = Buffer.from('dex')): Buffer =>
  zipOf({ 'AndroidManifest.xml': manifestOf(app), 'classes.dex': more })
