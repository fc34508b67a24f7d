import { inflateRawSync } from 'node:zlib'

/** The texts of a zip that was written as it was made (sizes stand behind the data), by name. */
export function unzipped(bytes: Buffer): Map<string, string> {
  const texts = new Map<string, string>()
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const names = at + 30
    const start = names + bytes.readUInt16LE(at + 26)
    const { buffer, engine } = inflateRawSync(bytes.subarray(start), {
      info: true,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } }
    texts.set(bytes.toString('utf8', names, start), buffer.toString('utf8'))
    at = start + engine.bytesWritten + 16
  }
  return texts
}
