import { type Handlers, prepared } from '../../../server/bind.ts'
import { oneFile } from '../../../server/oneFile.ts'
import { tenantOf } from '../../../server/shares.ts'
import { fileErrors, type files } from '../contract.ts'
import { imageLimits } from '../rules.ts'
import { type CleanImage, cleanImage } from './images.ts'

type Contract = typeof files
type Stored = { image: CleanImage; name: string; sha256: string }

const uploadImage = prepared<Contract['uploadImage'], Stored>({
  async prepare(app, _input, request, actor) {
    const { bytes } = await oneFile(request, tenantOf(actor), imageLimits.bytes, { ...fileErrors, tooLarge: fileErrors.imageTooLarge })
    const image = await cleanImage(bytes, tenantOf(actor))
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
