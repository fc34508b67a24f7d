import { randomUUID } from 'node:crypto'
import type { DB } from '../../../src/server/schema.ts'
import type { Row } from '../../factories/things.ts'
import { type Place, rowId, type World } from '../../support/world.ts'

/** What the samples of a domain are written with. */
export type Id = number | string
export type Source = {
  own(where: Place, world: World): Id
  none: Id /** Rows that organisations below may read. */
  shared?: true
}
export type Sample = (world: World) => Promise<Record<string, unknown>>
/**
 * `rows`: what stands in every place, by table; `pathIds`: by the first word of the path and the parameter; `fieldIds`: by the field of query or
 * body; `samples`: by the endpoint's name.
 */
export type DomainSamples = {
  readonly rows?: (where: Place) => { [T in keyof DB]?: Row<T> | readonly Row<T>[] }
  readonly pathIds?: Readonly<Record<string, Source>>
  readonly fieldIds?: Readonly<Record<string, Source>>
  readonly samples?: Readonly<Record<string, Sample>>
}

export const missingId = 987_654_321
/** The row with the id of its place, see world.ts. */
export const byRow: Source = { own: (where) => rowId(where, 1), none: missingId }
export const own = rowId('OWN', 1)

export const versionOf = async ({ sql }: World, table: string, id: number): Promise<number> =>
  (await sql<{ version: number }>(`select version from ${table} where id = $1`, [id]))[0]
    ?.version ?? 0
/** Inserts one row and answers its id. */
export const fresh = async ({ sql }: World, text: string): Promise<number> =>
  Number((await sql<{ id: number }>(`${text} returning id`))[0]?.id)

/** A picture that whoever may do everything in the platform uploaded himself. */
export async function uploaded(world: World): Promise<string> {
  const url = `files/${randomUUID()}.png`
  await world.sql(
    `insert into uploads (org_id, user_id, kind, mime, bytes, sha256, url)
      select org_id, id, 'IMAGE', 'image/png', 10, 'x', $1 from users
      where username = 'PLATFORM_FULL'`,
    [url],
  )
  return url
}
