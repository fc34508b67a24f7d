import type { Ctx } from '../../../server/context.ts'
import type { Lang } from '../../../shared/text.ts'
import { jobLimits } from '../rules.ts'
import { type ExportParams, fileNameOf, type MadeWith } from './exports.ts'

type Made = {
  readonly userId: number
  readonly orgId: number
  readonly params: ExportParams
  /** How the file is called. */
  readonly name: string
  readonly lang: Lang
  readonly file: { name: string; bytes: number; rows: number; with: MadeWith }
}

/** A file that was made for somebody stands in his downloads, as if he had asked for it. */
export async function keepMade(
  ctx: Ctx,
  { userId, orgId, params, name, lang, file }: Made,
): Promise<number> {
  const { id } = await ctx.db
    .insertInto('jobs')
    .values({
      ...{ user_id: userId, org_id: orgId, kind: 'EXPORT', name: params.endpoint, lang },
      ...{ state: 'DONE', total: file.rows, done: file.rows, params: JSON.stringify(params) },
      ...{ file_key: file.name, file_bytes: file.bytes, file_name: fileNameOf(name, ctx.now) },
      file_expires_at: new Date(ctx.now.getTime() + jobLimits.keepDays * 86_400_000),
      made_with: JSON.stringify(file.with),
      ...{ created_at: ctx.now, started_at: ctx.now, finished_at: ctx.now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
