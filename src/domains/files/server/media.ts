import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { App, Ctx } from '../../../server/context.ts'
import { oneFileTo } from '../../../server/oneFile.ts'
import { tenantOf } from '../../../server/shares.ts'
import { Overrun, openThreads } from '../../../server/threads.ts'
import { fieldRefusal } from '../../../shared/errors.ts'
import { fileErrors } from '../contract.ts'
import { filmLimits, imageLimits } from '../rules.ts'
import type { FilmWork } from './filmThread.ts'
import { cleanImage } from './images.ts'
import { checkRoom, keepUpload } from './verbs.ts'

/** The table of a film may say of itself what it likes; whatever it takes goes with the process. */
const apart = openThreads<FilmWork>(new URL('./filmThread.ts', import.meta.url), {
  threads: 1,
  waiting: 20,
  seconds: 15,
  megabytes: 128,
  apart: true,
})

const wrong = (def: (typeof fileErrors)[keyof typeof fileErrors]) => fieldRefusal(def, 'file')
/** The first box of an mp4, whatever its name and brand. */
const isFilm = (head: Buffer): boolean => head.subarray(4, 8).toString('latin1') === 'ftyp'

type Received = { path: string; size: number; sha256: string; head: Buffer }

/** Its bytes go to the disk as they come, counted and hashed on the way. */
async function receive(app: App, part: MultipartFile): Promise<Received> {
  const hash = createHash('sha256')
  let size = 0
  let head = Buffer.alloc(0)
  const path = await app.files.receive(
    (async function* () {
      for await (const chunk of part.file as AsyncIterable<Buffer>) {
        if (head.length < 12) head = Buffer.concat([head, chunk.subarray(0, 12)])
        size += chunk.length
        hash.update(chunk)
        // a picture ends earlier than a film
        if (size > imageLimits.bytes && !isFilm(head)) throw wrong(tooMuch(head))
        if (size > filmLimits.bytes) throw wrong(fileErrors.mediaTooLarge)
        yield chunk
      }
    })(),
  )
  return { path, size, sha256: hash.digest('hex'), head }
}
const tooMuch = (head: Buffer) =>
  head[0] === 0xff || head[0] === 0x89 ? fileErrors.imageTooLarge : fileErrors.mediaType

/**
 * The picture or the film of a form, looked at and kept: its address. A picture is written anew
 * (`cleanImage`), a film stays as it is: a machine plays the bytes that were reviewed.
 */
export async function takeMedia(
  app: App,
  request: FastifyRequest,
  actor: Ctx['actor'],
): Promise<string> {
  await checkRoom(app, actor)
  const tenant = tenantOf(actor)
  const drop = (file: Received) => app.files.discard(file.path)
  const file = await oneFileTo(
    request,
    tenant,
    filmLimits.bytes,
    { ...fileErrors, tooLarge: fileErrors.mediaTooLarge },
    (part) => receive(app, part),
    drop,
  )
  try {
    if (!isFilm(file.head)) {
      const picture = await cleanImage(await readFile(file.path), tenant).catch((error) => {
        throw error?.def === fileErrors.imageType ? wrong(fileErrors.mediaType) : error
      })
      return await keepUpload(app, actor, { kind: 'IMAGE', ...picture })
    }
    const film = await apart('look', { path: file.path }, { orgId: tenant }).catch((error) => {
      throw error instanceof Overrun ? wrong(fileErrors.filmBroken) : error
    })
    if ('fault' in film) throw wrong(fileErrors[film.fault])
    const { path: received, size, sha256 } = file
    return await keepUpload(app, actor, {
      ...{ kind: 'VIDEO', extension: 'mp4', mime: 'video/mp4' },
      ...{ received, size, sha256 },
      ...film,
    })
  } finally {
    await drop(file)
  }
}
