import { type RawBuilder, sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { systemScope } from '../../../server/database.ts'
import { oneFile } from '../../../server/oneFile.ts'
import { tenantOf } from '../../../server/shares.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { fileErrors, type files } from '../contract.ts'
import { dayLimits, imageLimits } from '../rules.ts'
import { type CleanImage, cleanImage } from './images.ts'

type Contract = typeof files
/** Whether the organisation may store one more picture of this size today. */
const hasRoom = (orgId: number, now: Date, bytes: number): RawBuilder<boolean> =>
  sql`(select count(*) < ${dayLimits.pictures} and coalesce(sum(bytes), 0) + ${bytes} <= ${dayLimits.bytes}
    from uploads where org_id = ${orgId} and created_at >= ${startOfDay(shanghaiDay(now))})`
const tooMany = () => new Refusal(fileErrors.tooManyToday, {}, [{ field: 'file', text: fileErrors.tooManyToday.text }])

type Stored = { image: CleanImage; name: string; sha256: string }

const uploadImage = prepared<Contract['uploadImage'], Stored>({
  async prepare(app, _input, request, actor) {
    // before anything of it is read
    const { rows } = await app.database.read(systemScope, (db) => sql<{ room: boolean }>`select ${hasRoom(actor.orgId, app.now(), 0)} as room`.execute(db))
    if (!rows[0]?.room) throw tooMany()
    const { bytes } = await oneFile(request, tenantOf(actor), imageLimits.bytes, { ...fileErrors, tooLarge: fileErrors.imageTooLarge })
    const image = await cleanImage(bytes, tenantOf(actor))
    return { image, ...(await app.files.put(image.bytes, image.extension)) }
  },
  async run(ctx, _input, { image, name, sha256 }) {
    const url = `files/${name}`
    // one after the other in an organisation, or many at once would find the same room
    await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${ctx.actor.orgId}`}, 0))`.execute(ctx.db)
    const { numAffectedRows } = await sql`
      insert into uploads (id, org_id, user_id, kind, mime, bytes, sha256, url, created_at)
      select ${name.slice(0, 36)}::uuid, ${ctx.actor.orgId}, ${ctx.actor.userId}::bigint, 'IMAGE', ${image.mime}, ${image.bytes.length}, ${sha256}, ${url},
        ${ctx.now}::timestamptz where ${hasRoom(ctx.actor.orgId, ctx.now, image.bytes.length)}`.execute(ctx.db)
    if (!numAffectedRows) {
      await ctx.app.files.remove(name)
      throw tooMany()
    }
    return { url }
  },
})

export const handlers: Handlers<Contract> = { uploadImage }
