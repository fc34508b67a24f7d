import type { TestApi } from './api.ts'

/** What each connection has planned: two hundred tables take longer to plan than to read. */
const planned = new WeakMap<TestApi['sql'], string[]>()

/**
 * A fingerprint per table of everything that is stored; two equal ones mean that nothing changed
 * but the trace of refused acts.
 */
export async function digest(
  { sql }: Pick<TestApi, 'sql'>,
  without: readonly string[] = [],
): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      order by 1`,
  )
  const wanted = tables
    .map((table) => table.name)
    .filter((name) => !without.includes(name) && !/^(row_count|stock_day)/.test(name)) // made of the others
  const text = wanted
    .map(
      (name) =>
        `select '${name}' as name, concat(count(*), ' ', sum(hashtextextended(t::text, 0))) as hash
          from "${name}" t${name === 'operation_logs' ? ` where result = 'SUCCESS'` : ''}`,
    )
    .join(' union all ')
  const known = planned.get(sql) ?? []
  planned.set(sql, known)
  if (!known.includes(text)) await sql(`prepare digest_${known.push(text)} as ${text}`)
  const rows = await sql<{ name: string; hash: string }>(
    `execute digest_${known.indexOf(text) + 1}`,
  )
  return Object.fromEntries(rows.map((row) => [row.name, row.hash]))
}

/** Column names of all tables, as SQL writes them and as JSON would. */
export async function columnNames({ sql }: Pick<TestApi, 'sql'>): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    `select distinct attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
        and not a.attisdropped`,
  )
  return [
    ...new Set(
      rows.flatMap(({ name }) => [name, name.replace(/_(\w)/g, (_, c: string) => c.toUpperCase())]),
    ),
  ]
}
