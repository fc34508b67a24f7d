import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Where uploaded files live: random names outside the web root. A local folder now; S3 fits the
 * same functions.
 */
export type FileStore = {
  /** Stores bytes under a name of `freshName`. */
  put(name: string, bytes: Buffer): Promise<void>
  /** Stores what comes, chunk by chunk; a failure on the way leaves nothing. */
  write(
    chunks: AsyncIterable<Uint8Array>,
    extension: Stored,
    name?: string,
  ): Promise<{ name: string; bytes: number }>
  /**
   * Takes what comes to a place of its own, chunk by chunk, before anybody knows what it is; a
   * failure on the way leaves nothing.
   */
  receive(chunks: AsyncIterable<Uint8Array>): Promise<string>
  /** Gives what was received its name. */
  adopt(received: string, name: string): Promise<void>
  discard(received: string): Promise<void>
  /** What was received and never named, before `ago`: whoever took it ended on the way. */
  discardOlder(ago: Date): Promise<void>
  /** Null: it is gone. `part`: these bytes of it, both ends included. */
  open(name: string, part?: { start: number; end: number }): Promise<Readable | null>
  /** In bytes; null: it is gone. */
  size(name: string): Promise<number | null>
  /** Gone, or was not there. */
  remove(name: string): Promise<void>
  /** Where it lies, for whoever reads it apart or in parts. */
  path(name: string): string
  readonly folder: string
}

type Stored = 'jpg' | 'png' | 'mp4' | 'xlsx' | 'zip' | 'pdf' | 'ofd' | 'apk' | 'bin'
/** Random, e.g. `3f….png`. */
export const freshName = (extension: Stored): string => `${randomUUID()}.${extension}`

export function openFiles(dataDir: string): FileStore {
  const folder = path.join(dataDir, 'files')
  // pictures and exports are the server's alone; a folder of an earlier release is closed as well
  if (existsSync(folder) && statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o700)
  const makeFolder = async (name: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await mkdir(path.dirname(place(name)), { recursive: true, mode: 0o700 })
  }
  const place = (name: string) => path.join(folder, name.slice(0, 2), name)
  const incoming = path.join(dataDir, 'incoming')
  return {
    folder,
    async put(name, bytes) {
      await makeFolder(name)
      // a crash leaves a temporary file, never half a picture under its final name
      await writeFile(`${place(name)}.part`, bytes, { flush: true, mode: 0o600 })
      await rename(`${place(name)}.part`, place(name))
    },
    async write(chunks, extension, name = freshName(extension)) {
      const part = `${place(name)}.part`
      await makeFolder(name)
      try {
        await pipeline(chunks, createWriteStream(part, { flush: true, mode: 0o600 }))
        const { size } = await stat(part)
        await rename(part, place(name))
        return { name, bytes: size }
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    async receive(chunks) {
      await mkdir(incoming, { recursive: true, mode: 0o700 })
      const received = path.join(incoming, randomUUID())
      try {
        await pipeline(chunks, createWriteStream(received, { flush: true, mode: 0o600 }))
        return received
      } catch (error) {
        await rm(received, { force: true })
        throw error
      }
    },
    async adopt(received, name) {
      await makeFolder(name)
      await rename(received, place(name))
    },
    discard: (received) => rm(received, { force: true }),
    async discardOlder(ago) {
      for (const name of await readdir(incoming).catch(() => [])) {
        const found = await stat(path.join(incoming, name)).catch(() => null)
        if (found && found.mtime < ago) await rm(path.join(incoming, name), { force: true })
      }
    },
    size: (name) =>
      stat(place(name)).then(
        ({ size }) => size,
        () => null,
      ),
    open(name, part) {
      const stream = createReadStream(place(name), part ?? {})
      return once(stream, 'open').then(
        () => stream,
        () => null,
      )
    },
    remove: (name) => rm(place(name), { force: true }),
    path: place,
  }
}

export const fileName = /^[0-9a-f]{8}-[0-9a-f-]{27}\.(jpg|png|mp4)$/
