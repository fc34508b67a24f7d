import { sql } from 'kysely'
import { type Ctx, iso } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { ReleaseWord } from '../../machines/server/facts.ts'
import { heard, type UpdateState } from '../rollout.ts'
import type { ReleaseKind } from '../rules.ts'

type Row = {
  id: number
  orgId: number
  deviceId: number
  kind: ReleaseKind
  document: number
  state: UpdateState
  place: string
}
const times: Partial<Record<UpdateState, string>> = {
  NOTIFIED: 'notified_at',
  DOWNLOADING: 'downloading_at',
  DOWNLOADED: 'downloaded_at',
  INSTALLING: 'installing_at',
}

/**
 * What machines say about a release, each onto its own row and no other: the last word by (boot,
 * seq) counts, of those about the document that asks for it.
 */
export async function recordReleases(ctx: Ctx, said: readonly ReleaseWord[]): Promise<void> {
  const words = said.toSorted((a, b) => (a.place < b.place ? -1 : 1))
  const rows = await rowsOf<Row>(ctx.db)`select u.id, u.org_id as "orgId",
      u.device_id as "deviceId", u.kind, u.document, u.state, u.place
    from release_updates u where u.device_id = any(${words.map((w) => w.deviceId)}::bigint[])
      and (u.open or u.state = 'TIMED_OUT') order by u.id for update`
  const changed: Record<string, unknown>[] = []
  for (const row of rows) {
    const of = words.filter(
      (w) =>
        w.deviceId === row.deviceId &&
        w.kind === row.kind &&
        w.document === row.document &&
        w.place > row.place,
    )
    const last = of.at(-1)
    if (!last) continue
    let state = row.state
    const at: Record<string, string> = {}
    let error = { code: '', text: '' }
    for (const word of of) {
      const next = heard(state, word.word)
      if (next === state && next !== word.word) continue
      const column = times[next]
      if (column && next !== state) at[column] = iso(word.at)
      state = next
      error = { code: word.code, text: word.reason }
    }
    const over = !['WAITING', 'NOTIFIED', 'DOWNLOADING', 'DOWNLOADED', 'INSTALLING'].includes(state)
    const bad = state === 'FAILED' || state === 'ROLLED_BACK'
    changed.push({
      ...{ id: row.id, state, place: last.place, reported_at: iso(last.at), ...at },
      ...{ progress: state === 'SUCCEEDED' ? 100 : last.progress },
      ...{ error_code: bad ? error.code || state : '', error: bad ? error.text : '' },
      finished_at: over ? iso(last.at) : null,
    })
  }
  if (!changed.length) return
  await sql`update release_updates u set state = x.state, place = x.place,
      reported_at = x.reported_at, progress = coalesce(x.progress, u.progress),
      error_code = x.error_code, error = x.error, finished_at = x.finished_at,
      notified_at = coalesce(u.notified_at, x.notified_at),
      downloading_at = coalesce(u.downloading_at, x.downloading_at),
      downloaded_at = coalesce(x.downloaded_at, u.downloaded_at),
      installing_at = coalesce(x.installing_at, u.installing_at)
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as x(id bigint, state text,
      place text, reported_at timestamptz, progress int, error_code text, error text,
      finished_at timestamptz, notified_at timestamptz, downloading_at timestamptz,
      downloaded_at timestamptz, installing_at timestamptz)
    where u.id = x.id`.execute(ctx.db)
  // who planned it may stand above whose machine it is
  const orgs = await rowsOf<{ orgId: number }>(ctx.db)`select distinct r.org_id as "orgId"
    from release_updates u join rollouts r on r.id = u.rollout_id
    where u.id = any(${changed.map(({ id }) => id)}::bigint[])`
  ctx.touch('releases', orgs)
}
