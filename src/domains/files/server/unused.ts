import { type RawBuilder, sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { unusedLimits } from '../rules.ts'
import { forgetSmaller } from './smaller.ts'

/**
 * Every column that names pictures or files, in whatever way; a test looks through all others
 * (conformance/writes.test.ts).
 */
export const pictureColumns: readonly (readonly [table: string, column: string])[] = [
  ['ad_materials', 'file'],
  ['announcements', 'content'],
  ['announcements', 'images'],
  ['batches', 'report'],
  ['complaints', 'images'],
  ['device_types', 'img'],
  ['invoices', 'file'],
  ['ledger_adjustments', 'images'],
  ['notices', 'content'],
  ['notices', 'images'],
  ['organisations', 'licences'],
  ['payment_configs', 'cap_approval'],
  ['products', 'detail_images'],
  ['products', 'images'],
  ['recall_destructions', 'photos'],
  ['recalls', 'notice'],
  ['release_versions', 'file'],
  ['settings', 'value'],
  ['suppliers', 'licence'],
  ['users', 'avatar'],
  ['vend_resolutions', 'images'],
  ['withdrawals', 'voucher'],
]
const named = sql.join(
  pictureColumns.map(
    ([table, column]) =>
      sql`select found[1] from ${sql.table(table)} t,
        regexp_matches(t.${sql.ref(column)}::text, 'files/[a-z0-9-]+\\.(?:jpg|png|mp4|pdf|ofd|apk|bin)', 'g') as found`,
  ),
  sql` union `,
)

/**
 * What was sold or filled, and what people were told, keeps the picture it had; too many rows to look through
 * at each sweep.
 */
export const keptColumns: readonly (readonly [table: string, column: string])[] = [
  ['messages', 'img'],
  ['order_units', 'img'],
  ['orders', 'img'],
  ['visit_photos', 'img'],
]

/**
 * Pictures and files that no record names go a day after they came. One that is marked as unused is named by
 * nobody any more (`missingPictures`), so that an act that is under way when it is marked is over
 * when it goes. `infinity`: only these name it.
 */
export async function sweepPictures(app: App): Promise<void> {
  const ago = (hours: number) => new Date(app.now().getTime() - hours * 3_600_000)
  await app.files.discardOlder(ago(unusedLimits.hours))
  const bySweep = <T>(statement: RawBuilder<T>) =>
    app.database.transact(systemScope, (db) => statement.execute(db))
  await bySweep(sql`with named as materialized (${named})
    update uploads u set unused_since = case when used then null else ${app.now()}::timestamptz end
    from (select o.id, o.url in (select * from named) as used from uploads o
      where o.created_at <= ${ago(unusedLimits.hours)}) o
    where u.id = o.id and used = (u.unused_since is not null)`)
  const going = sql`unused_since <= ${ago(unusedLimits.markedHours)}`
  const { rows } = await bySweep(
    sql<{ url: string; since: Date }>`select url, created_at as since from uploads where ${going}`,
  )
  if (!rows.length) return
  for (const column of keptColumns) await keepGiven(app, column, rows)
  const { rows: gone } = await bySweep(
    sql<{ id: string; url: string }>`select id, url from uploads where ${going}`,
  )
  // the file before its row: what is on the disk has one
  for (const { url } of gone) {
    const name = url.slice('files/'.length)
    await forgetSmaller(app, name)
    await app.files.remove(name)
  }
  await bySweep(sql`delete from uploads where id = any(${gone.map(({ id }) => id)}::uuid[])`)
}

/** A month at a time, from the first that can name one of these pictures. */
async function keepGiven(
  app: App,
  [table, column]: (typeof keptColumns)[number],
  pictures: readonly { url: string; since: Date }[],
): Promise<void> {
  const urls = pictures.map(({ url }) => url)
  const first = new Date(Math.min(...pictures.map(({ since }) => since.getTime())))
  for (let from = first; from <= app.now(); from = nextMonth(from)) {
    const given = await app.database.read(systemScope, (db) =>
      sql<{ url: string }>`select distinct t.${sql.ref(column)} as url from ${sql.table(table)} t
        where t.created_at >= ${from} and t.created_at < ${nextMonth(from)}
          and t.${sql.ref(column)} = any(${urls}::text[])`.execute(db),
    )
    await app.database.transact(systemScope, (db) =>
      sql`update uploads set unused_since = 'infinity'
        where url = any(${given.rows.map(({ url }) => url)}::text[])`.execute(db),
    )
  }
}
const nextMonth = (day: Date) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1))
