import type { FastifyRequest } from 'fastify'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { Refusal } from '../../../shared/errors.ts'
import { fileErrors, type files } from '../contract.ts'
import { type CleanImage, cleanImage, imageLimits } from './images.ts'

type Contract = typeof files
type Stored = { image: CleanImage; name: string; sha256: string }

/** The bytes of the one file a form carries; anything else in the form is refused. */
async function oneFile(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart()) throw new Refusal(fileErrors.notMultipart)
  if (Number(request.headers['content-length'] ?? 0) > 4 * imageLimits.bytes) throw new Refusal(fileErrors.imageTooLarge)
  let found: Buffer | undefined
  try {
    for await (const part of request.parts({ limits: { files: 2, fields: 1, parts: 3, fileSize: imageLimits.bytes + 1, headerPairs: 50 } })) {
      if (part.type !== 'file' || part.fieldname !== 'file' || found) throw new Refusal(fileErrors.noFile)
      found = await part.toBuffer()
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal((error as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE' ? fileErrors.imageTooLarge : fileErrors.noFile)
  }
  if (!found) throw new Refusal(fileErrors.noFile)
  return found
}

const uploadImage = prepared<Contract['uploadImage'], Stored>({
  async prepare(app, _input, request) {
    const image = await cleanImage(await oneFile(request))
    return { image, ...(await app.files.put(image.bytes, image.extension)) }
  },
  async run(ctx, _input, { image, name, sha256 }) {
    const url = `files/${name}`
    await ctx.db
      .insertInto('uploads')
      .values({
        id: name.slice(0, 36),
        org_id: ctx.actor.orgId,
        user_id: ctx.actor.userId,
        kind: 'IMAGE',
        mime: image.mime,
        bytes: image.bytes.length,
        sha256,
        url,
        created_at: ctx.now,
      })
      .execute()
    return { url }
  },
})

export const handlers: Handlers<Contract> = { uploadImage }
