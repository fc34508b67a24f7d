import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { App } from '../../../server/context.ts'
import type { Smaller } from '../../../server/pages.ts'
import { perApp } from '../../../server/perApp.ts'
import { widths } from '../rules.ts'
import { shrunk } from './images.ts'

const kinds = ['webp', 'jpg'] as const

/** Beside the pictures, and outside the backup: all of it can be made again. */
const place = (app: App, name: string, width: number, kind: (typeof kinds)[number]) =>
  path.join(app.files.folder, '../smaller', name.slice(0, 2), `${name}.${width}.${kind}`)

const making = perApp(() => new Map<string, Promise<Buffer | null>>())

/** Made when it is first asked for, once for all who ask; what cannot be made is the picture itself. */
export const smaller: Smaller = async (app, name, width, kind) => {
  if (!widths.includes(width)) return null
  const file = place(app, name, width, kind)
  const kept = await readFile(file).catch(() => null)
  if (kept) return kept
  const under = making(app)
  const own =
    under.get(file) ?? make(app, name, width, kind, file).finally(() => under.delete(file))
  under.set(file, own)
  return own
}

async function make(
  app: App,
  name: string,
  width: number,
  kind: (typeof kinds)[number],
  file: string,
): Promise<Buffer | null> {
  try {
    const picture = await app.files.open(name)
    if (!picture) return null
    const bytes = Buffer.from(await shrunk(await buffer(picture), width, kind))
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(`${file}.part`, bytes, { mode: 0o600 })
    await rename(`${file}.part`, file)
    return bytes
  } catch {
    return null
  }
}

/** With the picture itself. */
export async function forgetSmaller(app: App, name: string): Promise<void> {
  for (const width of widths)
    for (const kind of kinds) await rm(place(app, name, width, kind), { force: true })
}
