import { type RawBuilder, sql } from 'kysely'
import { type Ctx, found, iso, isoOrNull, visible } from '../../../server/context.ts'
import type { Importer } from '../../../server/importers.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import { say } from '../../../shared/text.ts'
import { importers } from '../../product.ts'
import type { JobRow, jobs, RowFault } from '../contract.ts'
import { cancellable, downloadable, type JobState, retryable } from '../rules.ts'
import { exportTitle, hasRightsOf, type MadeWith, mayExport } from './exports.ts'

export type Row = {
  id: number
  kind: 'EXPORT' | 'IMPORT'
  name: string
  state: JobState
  total: number
  done: number
  failed: number
  error: string
  file_key: string | null
  file_name: string | null
  file_bytes: number | null
  file_expires_at: Date | null
  made_rights: string[] | null
  created_at: Date
  finished_at: Date | null
}
const columns = sql`j.id, j.kind, j.name, j.state, j.total, j.done, j.failed, j.error, j.file_key, j.file_name, j.file_bytes, j.file_expires_at, j.created_at, j.finished_at, j.made_with -> 'rights' as made_rights`

/** Jobs are seen by whoever started them, nobody else. */
export const own = (ctx: Pick<Ctx, 'actor'>): RawBuilder<unknown> => sql`j.user_id = ${ctx.actor.userId} and ${visible(ctx, 'j.org_id')}`

export const listRows = (ctx: Ctx, input: Input<typeof jobs.list>) =>
  selectPage<Row>(ctx.db, {
    columns,
    from: sql`jobs j`,
    where: [own(ctx), input.kind && sql`j.kind = ${input.kind}`, input.state && sql`j.state = ${input.state}`],
    sort: { createTime: sql`j.created_at` },
    last: sql`j.id`,
    input,
  })

export async function ownRow(ctx: Pick<Ctx, 'actor' | 'db'>, id: number): Promise<Row> {
  const { rows } = await sql<Row>`select ${columns} from jobs j where j.id = ${id} and ${own(ctx)}`.execute(ctx.db)
  return found(rows[0])
}

/** What an own export was made with. */
export async function madeWith(ctx: Pick<Ctx, 'actor' | 'db'>, id: number): Promise<MadeWith | null> {
  const { rows } = await sql<{ made_with: MadeWith | null }>`select j.made_with from jobs j where j.id = ${id} and ${own(ctx)}`.execute(ctx.db)
  return found(rows[0]).made_with
}

export async function openCount(ctx: Ctx): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from jobs j where j.state in ('QUEUED', 'RUNNING') and ${own(ctx)}`.execute(ctx.db)
  return rows[0]?.n ?? 0
}

export const importerNamed = async (kind: string): Promise<Importer | undefined> => (await importers()).find((one) => one.kind === kind)

export async function present(ctx: Pick<Ctx, 'actor' | 'lang' | 'now'>, row: Row): Promise<JobRow> {
  const importer = await importerNamed(row.name)
  const facts = { kind: row.kind, state: row.state, fileExpires: row.file_expires_at }
  return {
    id: row.id,
    kind: row.kind,
    title: row.kind === 'EXPORT' ? await exportTitle(row.name, ctx.lang) : importer ? say(importer.title, ctx.lang) : row.name,
    state: row.state,
    total: row.total,
    done: row.done,
    failed: row.failed,
    error: say(row.error, ctx.lang),
    fileName: row.file_name,
    fileBytes: row.file_bytes,
    expireTime: isoOrNull(row.file_expires_at),
    createTime: iso(row.created_at),
    finishTime: isoOrNull(row.finished_at),
    can: {
      cancel: cancellable(facts),
      retry: retryable(facts),
      download: downloadable(facts, ctx.now) && (row.kind === 'IMPORT' || ((await mayExport(ctx.actor, row.name)) && hasRightsOf(ctx.actor, row.made_rights))),
    },
  }
}

export type StoredFault = { line: number; column?: string; text: string }
export function faultsOf(ctx: Pick<Ctx, 'lang'>, importer: Importer | undefined, stored: readonly StoredFault[]): RowFault[] {
  const titles = new Map(importer?.columns.map(({ key, title }) => [key, say(title, ctx.lang)]))
  return stored.map(({ line, column = '', text }) => ({ row: line, column, title: titles.get(column) ?? column, message: say(text, ctx.lang) }))
}
