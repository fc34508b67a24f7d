import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import type { App, Ctx } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { freshName } from '../../../server/files.ts'
import { oneFile } from '../../../server/oneFile.ts'
import { tenantOf, tenantOfOrg, tenantPath, writes } from '../../../server/shares.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { fileErrors, type files } from '../contract.ts'
import { dayLimits, imageLimits } from '../rules.ts'
import { type CleanImage, cleanImage } from './images.ts'

type Contract = typeof files
/** Whether the tenant may store one more picture of this size today. */
const hasRoom = (orgId: number, now: Date, bytes: number): RawBuilder<boolean> => {
  const tenant = tenantOfOrg(sql`${orgId}::bigint`)
  return sql`(select count(*) < ${dayLimits.pictures}
    and coalesce(sum(u.bytes), 0) + ${bytes} <= ${dayLimits.bytes}
    from organisations o join uploads u on u.org_id = o.id
    where o.path <@ ${tenant} and ${tenantPath(sql`o.path`)} = ${tenant}
      and u.created_at >= ${startOfDay(shanghaiDay(now))})`
}
const tooMany = () =>
  new Refusal(fileErrors.tooManyToday, {}, [{ field: 'file', text: fileErrors.tooManyToday.text }])

type Kept =
  | (CleanImage & { readonly kind: 'IMAGE' })
  | {
      readonly kind: 'FILE'
      readonly bytes: Buffer
      readonly extension: 'pdf' | 'ofd'
      readonly mime: 'application/pdf' | 'application/ofd'
    }
/**
 * The row before its file, so that whatever is refused or ends on the way leaves nothing that the
 * sweep does not find. Pictures are shown to everybody who knows their address, files to nobody:
 * who has a record that names one serves it himself.
 */
export async function keepUpload(app: App, actor: Ctx['actor'], upload: Kept): Promise<string> {
  const name = freshName(upload.extension)
  const url = `files/${name}`
  const sha256 = createHash('sha256').update(upload.bytes).digest('hex')
  const write = async (db: Db) => {
    // one after the other for a tenant, or many at once would find the same room
    await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${tenantOf(actor)}`},
      0))`.execute(db)
    const { numAffectedRows } = await sql`
      insert into uploads (id, org_id, user_id, kind, mime, bytes, sha256, url, created_at)
      select ${name.slice(0, 36)}::uuid, ${actor.orgId}, ${actor.userId}::bigint,
        ${upload.kind}, ${upload.mime}, ${upload.bytes.length}, ${sha256}, ${url},
        ${app.now()}::timestamptz
        where ${hasRoom(actor.orgId, app.now(), upload.bytes.length)}`.execute(db)
    if (!numAffectedRows) throw tooMany()
  }
  await writes(app).take(tenantOf(actor), () => app.database.transact(systemScope, write))
  await app.files.put(name, upload.bytes)
  return url
}

/** Before anything of an upload is read. */
export async function checkRoom(app: App, actor: Ctx['actor']): Promise<void> {
  const { rows } = await app.database.read(systemScope, (db) =>
    sql<{ room: boolean }>`select ${hasRoom(actor.orgId, app.now(), 0)} as room`.execute(db),
  )
  if (!rows[0]?.room) throw tooMany()
}

/** The picture of a form, looked at, cleaned and kept: its address. */
export async function takePicture(
  app: App,
  request: FastifyRequest,
  actor: Ctx['actor'],
): Promise<string> {
  await checkRoom(app, actor)
  const { bytes } = await oneFile(request, tenantOf(actor), imageLimits.bytes, {
    ...fileErrors,
    tooLarge: fileErrors.imageTooLarge,
  })
  return keepUpload(app, actor, { kind: 'IMAGE', ...(await cleanImage(bytes, tenantOf(actor))) })
}

const upload = prepared<Contract['uploadImage'], string>({
  prepare: (app, _input, request, actor) => takePicture(app, request, actor),
  run: async (_ctx, _input, url) => ({ url }),
})

export const handlers: Handlers<Contract> = {
  uploadImage: upload,
  uploadOwnPicture: upload,
}
