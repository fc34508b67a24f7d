import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import type { App, Ctx } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { freshName } from '../../../server/files.ts'
import { oneFile, oneFileTo } from '../../../server/oneFile.ts'
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
      readonly kind: 'VIDEO'
      /** Where it was received, see `FileStore.receive`. */
      readonly received: string
      readonly size: number
      readonly sha256: string
      readonly extension: 'mp4'
      readonly mime: 'video/mp4'
      readonly width: number
      readonly height: number
      readonly durationMs: number
    }
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
  const film = upload.kind === 'VIDEO'
  const sha256 = film ? upload.sha256 : createHash('sha256').update(upload.bytes).digest('hex')
  const bytes = film ? upload.size : upload.bytes.length
  const { width, height } = upload.kind === 'FILE' ? { width: null, height: null } : upload
  const durationMs = film ? upload.durationMs : null
  const { kind, mime } = upload
  await keepRow(app, actor, { name, kind, mime, bytes, sha256, width, height, durationMs })
  if (film) await app.files.adopt(upload.received, name)
  else await app.files.put(name, upload.bytes)
  return `files/${name}`
}

type Row = {
  readonly name: string
  readonly kind: Kept['kind']
  readonly mime: string
  readonly bytes: number
  readonly sha256: string
  readonly width?: number | null
  readonly height?: number | null
  readonly durationMs?: number | null
}
async function keepRow(app: App, actor: Ctx['actor'], row: Row): Promise<void> {
  const { name, kind, mime, bytes, sha256 } = row
  const { width = null, height = null, durationMs = null } = row
  const write = async (db: Db) => {
    // one after the other for a tenant, or many at once would find the same room
    await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${tenantOf(actor)}`},
      0))`.execute(db)
    const { numAffectedRows } = await sql`
      insert into uploads (id, org_id, user_id, kind, mime, bytes, sha256, url, created_at,
        width, height, duration_ms)
      select ${name.slice(0, 36)}::uuid, ${actor.orgId}, ${actor.userId}::bigint,
        ${kind}, ${mime}, ${bytes}, ${sha256}, ${`files/${name}`}, ${app.now()}::timestamptz,
        ${width}, ${height}, ${durationMs}
        where ${hasRoom(actor.orgId, app.now(), bytes)}`.execute(db)
    if (!numAffectedRows) throw tooMany()
  }
  await writes(app).take(tenantOf(actor), () => app.database.transact(systemScope, write))
}

type Streamed<T> = {
  readonly extension: 'apk' | 'bin'
  readonly mime: string
  readonly most: number
  readonly errors: Parameters<typeof oneFileTo>[3]
  /** Looks at what lies there; a refusal takes it away again. */
  check(name: string): Promise<T>
}
/**
 * A file that is too large to be held: it counts as the largest until it is there, and goes when it
 * is refused; what a crash leaves behind has its row, so the sweep finds it.
 */
export async function keepStream<T>(
  app: App,
  actor: Ctx['actor'],
  request: FastifyRequest,
  { extension, mime, most, errors, check }: Streamed<T>,
): Promise<{ file: string; size: number; sha256: string; checked: T }> {
  const name = freshName(extension)
  const url = `files/${name}`
  await keepRow(app, actor, { name, kind: 'FILE', mime, bytes: most, sha256: '' })
  try {
    const hash = createHash('sha256')
    const size = await oneFileTo(request, tenantOf(actor), most, errors, async ({ file }) => {
      const passing = async function* () {
        for await (const chunk of file as AsyncIterable<Buffer>) {
          hash.update(chunk)
          yield chunk
        }
      }
      return (await app.files.write(passing(), extension, name)).bytes
    })
    if (size > most) throw new Refusal(errors.tooLarge)
    if (size === 0) throw new Refusal(errors.noFile)
    const checked = await check(name)
    const sha256 = hash.digest('hex')
    await app.database.transact(systemScope, (db) =>
      sql`update uploads set bytes = ${size}, sha256 = ${sha256} where url = ${url}`.execute(db),
    )
    return { file: url, size, sha256, checked }
  } catch (error) {
    await app.files.remove(name)
    await app.database.transact(systemScope, (db) =>
      sql`delete from uploads where url = ${url}`.execute(db),
    )
    throw error
  }
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
