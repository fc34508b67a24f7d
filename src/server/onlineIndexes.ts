import { createHash } from 'node:crypto'
import type pg from 'pg'

/** One statement of a migration of indexes alone. */
export type Index = { unique: boolean; name: string; table: string; rest: string }

/** The indexes of a migration that does nothing but make some; null: it does something else. */
export function indexesOf(sql: string): readonly Index[] | null {
  const made = sql
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const [, unique, name, table, rest] =
        /^create (unique )?index ([a-z_][a-z0-9_]*) on ([a-z_][a-z0-9_]*)\s+(\S[\s\S]*)$/i.exec(
          text,
        ) ?? []
      return name && table && rest ? { unique: Boolean(unique), name, table, rest } : null
    })
  return made.length && made.every((index) => index !== null) ? (made as Index[]) : null
}

/** PostgreSQL cuts names off at 63 bytes: what differs only beyond is told apart by its digest. */
export function ownName(part: string, name: string): string {
  const whole = `${part}_${name}`
  if (whole.length <= 63) return whole
  return `${whole.slice(0, 54)}_${createHash('sha256').update(whole).digest('hex').slice(0, 8)}`
}

type Found = { valid: boolean }
type Part = { name: string; attached: boolean }

/**
 * Makes an index while its table is read and written, which takes long where there is much: no
 * transaction may be open. Begun again after it was broken off, it goes on where it was; an index
 * that somebody made before under this name is the one.
 */
export async function makeIndex(client: pg.Client, index: Index): Promise<void> {
  const { unique, name, table, rest } = index
  const kind = unique ? 'unique index' : 'index'
  const known = await find(client, name)
  if (known?.valid) return
  const { rows } = await client.query<{ parent: boolean; parts: string[] }>(
    `select c.relkind = 'p' as parent, coalesce(array_agg(i.inhrelid::regclass::text
        order by i.inhrelid) filter (where i.inhrelid is not null), '{}') as parts
      from pg_class c left join pg_inherits i on i.inhparent = c.oid
      where c.oid = $1::regclass group by c.relkind`,
    [table],
  )
  const { parent = false, parts = [] } = rows[0] ?? {}
  if (!parent) return build(client, `create ${kind} concurrently`, name, table, rest)
  if (!parts.length) {
    await client.query(`drop index if exists ${name}`)
    await client.query(`create ${kind} ${name} on ${table} ${rest}`)
    return
  }
  // of the months alone; months that are made from now on have it
  if (!known) await client.query(`create ${kind} ${name} on only ${table} ${rest}`)
  for (const part of parts) {
    const own = ownName(part, name)
    const { rows: has } = await client.query<Part>(
      `select i.inhrelid::regclass::text as name, true as attached from pg_inherits i
        join pg_index x on x.indexrelid = i.inhrelid
        where i.inhparent = $1::regclass and x.indrelid = $2::regclass`,
      [name, part],
    )
    if (has.length) continue
    await build(client, `create ${kind} concurrently`, own, part, rest)
    await client.query(`alter index ${name} attach partition ${own}`)
  }
}

async function find(client: pg.Client, name: string): Promise<Found | undefined> {
  const { rows } = await client.query<Found>(
    `select x.indisvalid as valid from pg_index x where x.indexrelid = to_regclass($1)`,
    [name],
  )
  return rows[0]
}

async function build(
  client: pg.Client,
  create: string,
  name: string,
  table: string,
  rest: string,
): Promise<void> {
  const known = await find(client, name)
  if (known?.valid) return
  // what a build that was broken off left
  if (known) await client.query(`drop index concurrently ${name}`)
  // it waits for transactions that were open when it began, and nobody waits behind it
  await client.query('set lock_timeout = 0')
  try {
    await client.query(`${create} ${name} on ${table} ${rest}`)
  } finally {
    await client.query(`set lock_timeout = '2s'`)
  }
}
