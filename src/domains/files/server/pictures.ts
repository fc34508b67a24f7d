import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'

/**
 * Of these pictures those that a record may not name: of `u` (uploads) not `whose`, or about to be
 * swept. Whoever names one calls this, and the column that holds it stands in `unused.ts`.
 */
export async function missingPictures(
  ctx: Ctx,
  urls: readonly string[],
  whose: RawBuilder<boolean>,
): Promise<string[]> {
  if (!urls.length) return []
  const { rows } = await sql<{
    url: string
  }>`select u.url from uploads u
    where u.url = any(${[...urls]}::text[]) and coalesce(u.unused_since, 'infinity') = 'infinity'
      and ${whose}`.execute(ctx.db)
  const known = new Set(rows.map(({ url }) => url))
  return urls.filter((url) => !known.has(url))
}

/** Pictures he uploaded himself. */
export const uploadedBy = ({ actor }: Pick<Ctx, 'actor'>): RawBuilder<boolean> =>
  sql`u.user_id = ${actor.userId}::bigint`
