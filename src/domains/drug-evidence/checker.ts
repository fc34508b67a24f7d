import { Manifest } from './contract.ts'

/** What a package says of itself, checked with nothing but the file: in a browser, or anywhere. */
export type Checked = {
  readonly signatureOk: boolean
  readonly publicKey: string
  readonly dataAsOf: string
  readonly files: readonly { name: string; rows: number; state: 'OK' | 'WRONG' | 'MISSING' }[]
}

/** The two that the signature is about, or is. */
const own = ['manifest.json', 'manifest.sig']

/** Null: not a package. */
export async function checkPackage(bytes: Uint8Array<ArrayBuffer>): Promise<Checked | null> {
  try {
    return await check(await unpack(bytes))
  } catch {
    return null
  }
}

async function check(content: Map<string, Uint8Array<ArrayBuffer>>): Promise<Checked> {
  const text = content.get('manifest.json')
  const signature = content.get('manifest.sig')
  if (!text || !signature) throw new Error('no manifest')
  const { files, publicKey, dataAsOf } = Manifest.parse(JSON.parse(new TextDecoder().decode(text)))
  const key = await crypto.subtle.importKey('spki', base64(publicKey), 'Ed25519', false, ['verify'])
  const given = base64(new TextDecoder().decode(signature).trim())
  const signatureOk = await crypto.subtle.verify('Ed25519', key, given, text)
  const told = new Set([...own, ...files.map(({ name }) => name)])
  return {
    signatureOk,
    publicKey,
    dataAsOf,
    files: [
      ...(await Promise.all(
        files.map(async ({ name, sha256, rows }) => {
          const found = content.get(name)
          const same = found && (await sha256Of(found)) === sha256
          return { name, rows, state: same ? 'OK' : found ? 'WRONG' : 'MISSING' } as const
        }),
      )),
      // what nobody signed
      ...[...content.keys()]
        .filter((name) => !told.has(name))
        .map((name) => ({ name, rows: 0, state: 'WRONG' as const })),
    ],
  }
}

const base64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
const sha256Of = async (bytes: Uint8Array<ArrayBuffer>) =>
  [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** The files of a zip, by its directory. */
async function unpack(bytes: Uint8Array<ArrayBuffer>) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.length - 22
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) throw new Error('no zip')
  const content = new Map<string, Uint8Array<ArrayBuffer>>()
  let at = view.getUint32(end + 16, true)
  for (let i = view.getUint16(end + 10, true); i > 0; i -= 1) {
    const [packed, nameLength] = [view.getUint32(at + 20, true), view.getUint16(at + 28, true)]
    const local = view.getUint32(at + 42, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength))
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
    if (content.has(name)) throw new Error('a name twice')
    content.set(name, await inflate(bytes.slice(start, start + packed)))
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return content
}
const inflate = async (packed: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(
    await new Response(
      new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')),
    ).arrayBuffer(),
  )
