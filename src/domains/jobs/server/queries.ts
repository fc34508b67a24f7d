import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Ctx, found, visible } from '../../../server/context.ts'
import type { Importer } from '../../../server/importers.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { type Rows, shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { say } from '../../../shared/text.ts'
import { importers } from '../../product.ts'
import { JobRow, type jobs, type RowFault } from '../contract.ts'
import { cancellable, downloadable, retryable } from '../rules.ts'
import { exportTitle, hasRightsOf, type MadeWith, mayExport } from './exports.ts'

const job = shape(
  JobRow.extend({
    name: z.string(),
    fileKey: z.string().nullable(),
    madeRights: z.array(z.string()).nullable(),
  }),
  ['jobs', 'j'],
  {
    madeRights: sql`j.made_with -> 'rights'`,
    expireTime: sql`j.file_expires_at`,
    createTime: sql`j.created_at`,
    finishTime: sql`j.finished_at`,
  },
  ['title', 'can'],
)
export type Row = Rows<typeof job>

/** Jobs are seen by whoever started them, nobody else. */
export const own = (ctx: Pick<Ctx, 'actor'>): RawBuilder<unknown> =>
  sql`j.user_id = ${ctx.actor.userId} and ${visible(ctx, 'j.org_id')}`

export const listRows = (ctx: Ctx, input: Input<typeof jobs.list>) =>
  job.page(ctx.db, {
    from: sql`jobs j`,
    where: [
      own(ctx),
      input.kind && sql`j.kind = ${input.kind}`,
      input.state && sql`j.state = ${input.state}`,
    ],
    sort: { createTime: sql`j.created_at` },
    last: sql`j.id`,
    input,
  })

export const ownRow = async (ctx: Pick<Ctx, 'actor' | 'db'>, id: number): Promise<Row> =>
  found(await job.one(ctx.db, sql`from jobs j where j.id = ${id} and ${own(ctx)}`))

/** What an own export was made with. */
export async function madeWith(
  ctx: Pick<Ctx, 'actor' | 'db'>,
  id: number,
): Promise<MadeWith | null> {
  return found(
    await rowOf<{ made_with: MadeWith | null }>(
      ctx.db,
    )`select j.made_with from jobs j where j.id = ${id} and ${own(ctx)}`,
  ).made_with
}

export async function openCount(ctx: Ctx): Promise<number> {
  return (
    await onlyRow<{ n: number }>(
      ctx.db,
    )`select count(*) as n from jobs j where j.state in ('QUEUED', 'RUNNING') and ${own(ctx)}`
  ).n
}

export const importerNamed = async (kind: string): Promise<Importer | undefined> =>
  (await importers()).find((one) => one.kind === kind)

export async function present(
  ctx: Pick<Ctx, 'actor' | 'lang' | 'now'>,
  { name, fileKey: _, madeRights, ...row }: Row,
): Promise<JobRow> {
  const importer = await importerNamed(name)
  const shows = async () =>
    row.kind === 'IMPORT' ||
    ((await mayExport(ctx.actor, name)) && hasRightsOf(ctx.actor, madeRights))
  return {
    ...row,
    title:
      row.kind === 'EXPORT'
        ? await exportTitle(name, ctx.lang)
        : importer
          ? say(importer.title, ctx.lang)
          : name,
    error: say(row.error, ctx.lang),
    can: {
      cancel: cancellable(row),
      retry: retryable(row),
      download: downloadable(row, ctx.now) && (await shows()),
    },
  }
}

export type StoredFault = { line: number; column?: string; text: string }
export function faultsOf(
  ctx: Pick<Ctx, 'lang'>,
  importer: Importer | undefined,
  stored: readonly StoredFault[],
): RowFault[] {
  const titles = new Map(importer?.columns.map(({ key, title }) => [key, say(title, ctx.lang)]))
  return stored.map(({ line, column = '', text }) => ({
    row: line,
    column,
    title: titles.get(column) ?? column,
    message: say(text, ctx.lang),
  }))
}
