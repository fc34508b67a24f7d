import { readFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { serveThread } from '../../../server/threadMain.ts'
import { packageLimit } from '../rules.ts'

/** Packages of people are looked into here, in a process of their own and within bounds. */
export type Package =
  | { readonly form: 'APK'; readonly target: string; readonly name: string; readonly code: number }
  | { readonly form: 'BIN' | 'HEX' | 'ZIP' }
export type Looked = Package | { readonly fault: 'notApk' | 'noManifest' | 'notFirmware' }

class Wrong extends Error {}
const wrong = (): never => {
  throw new Wrong()
}
const limits = { entries: 20_000, manifest: 2 * 1024 * 1024, strings: 20_000 }

async function look({ path, kind }: { path: string; kind: 'APK' | 'FIRMWARE' }): Promise<Looked> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0))
  if (bytes.length > packageLimit) return { fault: kind === 'APK' ? 'notApk' : 'notFirmware' }
  return kind === 'APK' ? lookAtApk(bytes) : lookAtFirmware(bytes)
}

function lookAtApk(bytes: Buffer): Looked {
  let manifest: Buffer
  try {
    manifest = entryOf(bytes, 'AndroidManifest.xml') ?? wrong()
  } catch {
    return { fault: 'notApk' }
  }
  try {
    return { form: 'APK', ...headOf(manifest) }
  } catch {
    return { fault: 'noManifest' }
  }
}

/** By content: a zip that can be read, records of Intel HEX, or plain bytes of nothing else. */
function lookAtFirmware(bytes: Buffer): Looked {
  try {
    if (bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') {
      if (entryOf(bytes, 'AndroidManifest.xml') !== null) return { fault: 'notFirmware' }
      return { form: 'ZIP' }
    }
    if (bytes[0] === 0x3a) return isHex(bytes) ? { form: 'HEX' } : { fault: 'notFirmware' }
    return bytes.length < 16 || isSomethingElse(bytes) ? { fault: 'notFirmware' } : { form: 'BIN' }
  } catch {
    return { fault: 'notFirmware' }
  }
}
const others = [
  '%PDF',
  '\u0089PNG',
  '\u00ff\u00d8\u00ff',
  'GIF8',
  'MZ',
  '<!',
  '<h',
  '<?',
  '{',
  'RIFF',
]
const isSomethingElse = (bytes: Buffer): boolean => {
  const head = bytes.subarray(0, 4).toString('latin1')
  return others.some((magic) => head.startsWith(magic))
}

/** Every record whole and with its right sum, the last one the end. */
function isHex(bytes: Buffer): boolean {
  const lines = bytes.toString('latin1').trimEnd().split(/\r?\n/)
  return lines.every((line, i) => {
    if (!/^:(?:[0-9A-Fa-f]{2}){5,260}$/.test(line)) return false
    const record = Buffer.from(line.slice(1), 'hex')
    const sum = record.reduce((all, byte) => (all + byte) & 0xff, 0)
    const isEnd = record[3] === 1
    return sum === 0 && record.length === (record[0] ?? 0) + 5 && isEnd === (i === lines.length - 1)
  })
}

/** One file of a zip, unpacked no further than a manifest can be large; null: there is none. */
function entryOf(bytes: Buffer, wanted: string): Buffer | null {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  if (end < 0 || end + 22 > bytes.length) return wrong()
  const count = bytes.readUInt16LE(end + 10)
  if (count === 0 || count > limits.entries) return wrong()
  let at = bytes.readUInt32LE(end + 16)
  let found: Buffer | null = null
  for (let i = 0; i < count; i += 1) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== 0x02014b50) return wrong()
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const name = bytes.subarray(at + 46, nameEnd).toString('utf8')
    if (name === wanted) {
      // two of one name: a machine may read the other one
      if (found) return wrong()
      found = unpacked(bytes, at)
    }
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return found
}

function unpacked(bytes: Buffer, at: number): Buffer {
  const [flags, method] = [bytes.readUInt16LE(at + 8), bytes.readUInt16LE(at + 10)]
  const [size, start] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)]
  if (flags & 1 || bytes.readUInt32LE(start) !== 0x04034b50) return wrong()
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
  if (from + size > bytes.length) return wrong()
  const raw = bytes.subarray(from, from + size)
  if (method === 0 && size <= limits.manifest) return raw
  return method === 8 ? inflateRawSync(raw, { maxOutputLength: limits.manifest }) : wrong()
}

/** Resource ids of the attributes, whatever a packer called them. */
const ids = { versionCode: 0x0101021b, versionName: 0x0101021c }

/** Package, version code and version name: attributes of the first element of the binary XML. */
function headOf(xml: Buffer): { target: string; name: string; code: number } {
  if (xml.readUInt16LE(0) !== 3) return wrong()
  let strings: (i: number) => string = wrong
  let resources: (i: number) => number = () => 0
  for (let at = xml.readUInt16LE(2); at + 8 <= xml.length; ) {
    const [type, head, size] = [
      xml.readUInt16LE(at),
      xml.readUInt16LE(at + 2),
      xml.readUInt32LE(at + 4),
    ]
    if (size < 8 || at + size > xml.length) return wrong()
    const chunk = xml.subarray(at, at + size)
    if (type === 1) strings = stringsOf(chunk)
    if (type === 0x180)
      resources = (i) => (head + 4 * i + 4 <= size ? chunk.readUInt32LE(head + 4 * i) : 0)
    if (type === 0x102) return attributesOf(chunk, head, strings, resources)
    at += size
  }
  return wrong()
}

function attributesOf(
  chunk: Buffer,
  head: number,
  strings: (i: number) => string,
  resources: (i: number) => number,
) {
  if (strings(chunk.readUInt32LE(head + 4)) !== 'manifest') return wrong()
  const [first, width, count] = [8, 10, 12].map((i) => chunk.readUInt16LE(head + i)) as [
    number,
    number,
    number,
  ]
  const found: { target?: string; name?: string; code?: number } = {}
  for (let i = 0; i < count; i += 1) {
    const at = head + first + i * width
    const name = chunk.readUInt32LE(at + 4)
    const [kind, data] = [chunk.readUInt8(at + 15), chunk.readUInt32LE(at + 16)]
    const id = resources(name)
    const is = (id_: number, word: string) => id === id_ || (id === 0 && strings(name) === word)
    // a text, not a reference into resources that are not read
    if (is(ids.versionName, 'versionName') && kind === 3) found.name = strings(data)
    else if (is(ids.versionCode, 'versionCode') && (kind === 0x10 || kind === 0x11))
      found.code = data
    else if (id === 0 && strings(name) === 'package' && kind === 3) found.target = strings(data)
  }
  const { target = '', name = '', code = 0 } = found
  if (!/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(target) || target.length > 120 || code < 1)
    return wrong()
  if (!name || name.length > 40 || code > 2_100_000_000) return wrong()
  return { target, name, code }
}

function stringsOf(pool: Buffer): (i: number) => string {
  const [count, flags, start] = [pool.readUInt32LE(8), pool.readUInt32LE(16), pool.readUInt32LE(20)]
  const head = pool.readUInt16LE(2)
  if (count > limits.strings) return wrong()
  return (i) => {
    if (i >= count) return wrong()
    let at = start + pool.readUInt32LE(head + 4 * i)
    if (flags & 0x100) {
      // length in letters, then in bytes, each of one or two bytes
      at += (pool.readUInt8(at) ?? 0) & 0x80 ? 2 : 1
      const first = pool.readUInt8(at)
      const length = first & 0x80 ? ((first & 0x7f) << 8) | pool.readUInt8(at + 1) : first
      at += first & 0x80 ? 2 : 1
      return pool.subarray(at, at + Math.min(length, 200)).toString('utf8')
    }
    const first = pool.readUInt16LE(at)
    if (first & 0x8000) return wrong()
    return pool.subarray(at + 2, at + 2 + 2 * Math.min(first, 200)).toString('utf16le')
  }
}

const work = { look }
export type PackageWork = typeof work
serveThread(work)
