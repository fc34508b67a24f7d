import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { renderPng } from '../../seed/pictures.ts'
import { staff } from '../../seed/world.ts'
import type { Db } from '../../server/database.ts'
import type { FileStore } from '../../server/files.ts'

type Ids = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }

const tones = [
  ['#DBEAF0', '#5591A5', '#2E6577'],
  ['#DDEEE4', '#559877', '#2F6B4D'],
  ['#F5E6D3', '#BD8343', '#85561F'],
  ['#E5DFF3', '#7F6DB5', '#54448A'],
  ['#F3DDE1', '#B96C7B', '#85404F'],
] as const
const hair = {
  short: 'M44 50c0-15 9-23 20-23s20 8 20 23c-4-8-10-11-20-11s-16 3-20 11z',
  long: 'M40 78V52c0-17 10-26 24-26s24 9 24 26v26c-6 2-8-2-8-8V54c-6 0-12-3-16-8-4 5-10 8-16 8v16c0 6-2 10-8 8z',
} as const

/** A bust in quiet colours; a demo has no photographs. */
const bust = ([ground, coat, dark]: (typeof tones)[number], cut: keyof typeof hair): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" width="128" height="128"><rect width="128" height="128" fill="${ground}"/>` +
  `<path d="M20 128c0-26 18-40 44-40s44 14 44 40z" fill="${coat}"/><path d="M56 74h16v16c0 5-16 5-16 0z" fill="#E3BE9C"/>` +
  `<ellipse cx="64" cy="56" rx="18" ry="22" fill="#F0D0B0"/><path d="${hair[cut]}" fill="${dark}"/></svg>`

/** Everybody of the demo has one of ten pictures, as whoever adds a user must upload one. */
export async function seedAvatars(db: Db, files: FileStore, ids: Ids, now: Date): Promise<void> {
  const cuts = ['short', 'long'] as const
  const made = tones.flatMap((tone, at) =>
    cuts.map((cut) => ({ svg: bust(tone, cut), key: `demo avatar ${at} ${cut}` })),
  )
  const urls: string[] = []
  for (const { svg, key } of made) {
    const hex = createHash('sha256').update(key).digest('hex')
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
    const bytes = await renderPng(svg)
    const place = path.join(files.folder, id.slice(0, 2), `${id}.png`)
    await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
    await writeFile(place, bytes, { mode: 0o600 })
    const url = `files/${id}.png`
    urls.push(url)
    const about = {
      kind: 'IMAGE' as const,
      mime: 'image/png',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }
    await db
      .insertInto('uploads')
      .values({
        id,
        org_id: ids.org.get('platform') ?? 1,
        user_id: null,
        ...about,
        url,
        created_at: now,
      })
      .onConflict((oc) => oc.doNothing())
      .execute()
  }
  for (const [at, url] of urls.entries()) {
    const people = staff
      .filter((_, index) => index % urls.length === at)
      .flatMap((person) => ids.user.get(person.username) ?? [])
    await db.updateTable('users').set({ avatar: url }).where('id', 'in', people).execute()
  }
}
