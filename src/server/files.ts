import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'

/** Where uploaded files live: random names outside the web root. A local folder now; S3 fits the same four functions. */
export type FileStore = {
  /** Stores bytes under a fresh random name and returns it, e.g. `3f….png`. */
  put(bytes: Buffer, extension: 'jpg' | 'png'): Promise<{ name: string; sha256: string }>
  get(name: string): Readable
  readonly folder: string
}

export function openFiles(dataDir: string): FileStore {
  const folder = path.join(dataDir, 'files')
  const place = (name: string) => path.join(folder, name.slice(0, 2), name)
  return {
    folder,
    async put(bytes, extension) {
      const name = `${randomUUID()}.${extension}`
      await mkdir(path.dirname(place(name)), { recursive: true })
      // a crash leaves a temporary file, never half a picture under its final name
      await writeFile(`${place(name)}.part`, bytes, { flush: true })
      await rename(`${place(name)}.part`, place(name))
      return { name, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    get: (name) => createReadStream(place(name)),
  }
}

export const fileName = /^[0-9a-f]{8}-[0-9a-f-]{27}\.(jpg|png)$/
