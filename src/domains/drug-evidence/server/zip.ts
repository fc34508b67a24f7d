import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

/**
 * A zip that is written as it is made, the same bytes for the same content: every file is of
 * 1980-01-01, and sizes stand behind what they tell.
 */
type Entry = { name: Buffer; crc: number; size: number; packed: number; offset: number }
const dosDate = 0x0021
/** Names are UTF-8; crc and sizes follow the data. */
const flags = 0x0808

const header = (
  signature: number,
  size: number,
  fields: readonly (readonly [number, number])[],
) => {
  const out = Buffer.alloc(size)
  out.writeUInt32LE(signature, 0)
  let at = 4
  for (const [bytes, value] of fields) {
    out.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return out
}

export function openZip() {
  const entries: Entry[] = []
  let offset = 0
  const out = (part: Buffer) => {
    offset += part.length
    return part
  }
  return {
    async *add(fileName: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      const name = Buffer.from(fileName)
      const entry = { name, crc: 0, size: 0, packed: 0, offset }
      yield out(
        Buffer.concat([
          header(0x04034b50, 30, [
            [2, 20],
            [2, flags],
            [2, 8],
            [2, 0],
            [2, dosDate],
            [4, 0],
            [4, 0],
            [4, 0],
            [2, name.length],
            [2, 0],
          ]),
          name,
        ]),
      )
      async function* read() {
        for await (const chunk of chunks) {
          entry.crc = crc32(chunk, entry.crc)
          entry.size += chunk.length
          yield chunk
        }
      }
      const packer = createDeflateRaw({ level: 6 })
      const fed = pipeline(Readable.from(read()), packer)
      fed.catch(() => {})
      for await (const part of packer) {
        entry.packed += (part as Buffer).length
        yield out(part as Buffer)
      }
      await fed
      yield out(
        header(0x08074b50, 16, [
          [4, entry.crc],
          [4, entry.packed],
          [4, entry.size],
        ]),
      )
      entries.push(entry)
    },
    end(): Buffer {
      const start = offset
      const list = entries.map((entry) =>
        Buffer.concat([
          header(0x02014b50, 46, [
            [2, 20],
            [2, 20],
            [2, flags],
            [2, 8],
            [2, 0],
            [2, dosDate],
            [4, entry.crc],
            [4, entry.packed],
            [4, entry.size],
            [2, entry.name.length],
            [2, 0],
            [2, 0],
            [2, 0],
            [2, 0],
            [4, 0],
            [4, entry.offset],
          ]),
          entry.name,
        ]),
      )
      const directory = Buffer.concat(list)
      return Buffer.concat([
        directory,
        header(0x06054b50, 22, [
          [2, 0],
          [2, 0],
          [2, entries.length],
          [2, entries.length],
          [4, directory.length],
          [4, start],
          [2, 0],
        ]),
      ])
    },
  }
}
