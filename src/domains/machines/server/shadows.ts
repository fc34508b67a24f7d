import { sql } from 'kysely'
import { type App, type Ctx, iso } from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import type { DocumentKind } from '../protocol.ts'
import { limits } from '../rules.ts'
import { placeOf } from './boots.ts'
import { contradiction, type Doubt } from './doubts.ts'
import { noteDevice } from './events.ts'
import type { Fact } from './facts.ts'

/**
 * Desired state of machines: which version of their documents they should have, and how far it has
 * come.
 */
export type Wish = { readonly deviceId: number; readonly orgId: number; readonly version: number }

/**
 * Whoever writes a new version of a document says so here, in the same transaction; the gateway
 * does the rest.
 */
export async function want(ctx: Ctx, kind: DocumentKind, wishes: readonly Wish[]): Promise<void> {
  if (wishes.length === 0) return
  await sql`insert into device_shadows as s (device_id, kind, org_id, wanted, wanted_at)
    select "deviceId", ${kind}, "orgId", version, ${ctx.now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(wishes)}::jsonb) as x("deviceId" bigint,
      "orgId" bigint, version int) order by "deviceId"
    on conflict (device_id, kind) do update
    set wanted = excluded.wanted, wanted_at = excluded.wanted_at, org_id = excluded.org_id,
      sends = 0 where s.wanted < excluded.wanted`.execute(ctx.db)
  const events = wishes.map(({ deviceId, orgId, version }) => ({
    deviceId,
    orgId,
    kind: `${kind}_WANTED`,
    data: { version },
  }))
  await noteDevice(ctx, events)
  ctx.touch('shadows', wishes)
}

export type DueDocument = {
  readonly deviceId: number
  readonly kind: DocumentKind
  readonly wanted: number
}

/**
 * Documents that leave now for connected machines: new ones, and those nobody answered. Marked by
 * the statement that looks at the limits, so no two turns send more than they allow; what does not
 * arrive is sent again after a while, or after the next hello.
 */
export async function takeDocuments(
  app: App,
  deviceIds: readonly number[],
): Promise<DueDocument[]> {
  const before = new Date(app.now().getTime() - limits.documentMs)
  const due = sql`state in ('PENDING', 'DELIVERED') and sends < ${limits.documentTries}
    and (state = 'PENDING' or delivered_at < ${before})`
  // most turns find nothing: one look, without locks
  const { rows: found } = await app.database.read(systemScope, (db) =>
    sql<{
      id: number
    }>`select distinct device_id as id from device_shadows
      where device_id = any(${[...deviceIds]}::bigint[]) and ${due} order by 1
      limit ${limits.documentBatch}`.execute(db),
  )
  if (!found.length) return []
  const { rows } = await app.database.transact(systemScope, (db) =>
    sql<DueDocument>`with due
      as (select device_id, kind from device_shadows
        where device_id = any(${found.map(({ id }) => id)}::bigint[]) and ${due}
        order by device_id, kind limit ${limits.documentBatch} for update skip locked)
      update device_shadows s set delivered = greatest(s.delivered, s.wanted),
        delivered_at = ${app.now()}, sends = s.sends + 1
      from due where s.device_id = due.device_id and s.kind = due.kind
      returning s.device_id as "deviceId", s.kind, s.wanted`.execute(db),
  )
  return rows
}

/** What a fact says about a document of its machine; the newest by (boot, seq) counts. */
type Claim = {
  fact: Fact
  deviceId: number
  orgId: number
  place: string
  kind: DocumentKind
  slot: 'runs' | 'refuses'
  version: number
  reason: string
  at: Date
}

function claimsOf(fact: Fact): Claim[] {
  const { machine, up, at } = fact
  const { body } = up
  const said = { fact, deviceId: machine.id, orgId: machine.orgId, place: placeOf(fact), at }
  const claim = (kind: DocumentKind, slot: Claim['slot'], version: number, reason = ''): Claim => ({
    ...said,
    kind,
    slot,
    version,
    reason,
  })
  if (up.kind === 'applied') {
    const { what, version, ok, reason } = body as {
      what: DocumentKind
      version: number
      ok: boolean
      reason?: string
    }
    return [ok ? claim(what, 'runs', version) : claim(what, 'refuses', version, reason ?? '')]
  }
  const { config, planogram, recalls, apkRelease, fwRelease } = body as {
    config?: number
    planogram?: number
    recalls?: number
    apkRelease?: number
    fwRelease?: number
  }
  return [
    ...(config === undefined ? [] : [claim('CONFIG', 'runs', config)]),
    ...(planogram === undefined ? [] : [claim('PLANOGRAM', 'runs', planogram)]),
    ...(recalls === undefined ? [] : [claim('RECALLS', 'runs', recalls)]),
    ...(apkRelease === undefined ? [] : [claim('APK', 'runs', apkRelease)]),
    ...(fwRelease === undefined ? [] : [claim('FIRMWARE', 'runs', fwRelease)]),
  ]
}

/**
 * Projects what machines say onto device_shadows. A hello also asks for what is missing. Answers
 * what cannot be.
 */
export async function applyShadows(ctx: Ctx, facts: readonly Fact[]): Promise<Doubt[]> {
  const newest = new Map<string, Claim>()
  for (const claim of facts.flatMap(claimsOf)) {
    const key = `${claim.deviceId}/${claim.kind}/${claim.slot}`
    const other = newest.get(key)
    if (!other || claim.place > other.place) newest.set(key, claim)
  }
  const told = [...newest.values()]
  const orgs = new Set(facts.map((fact) => fact.machine.orgId))
  const greeted = [
    ...new Set(facts.filter((fact) => fact.up.kind === 'hello').map((fact) => fact.machine.id)),
  ]
  if (told.length === 0 && greeted.length === 0) return []
  // a machine may say what it runs before anybody wanted anything of it
  await sql`insert into device_shadows (device_id, kind, org_id, wanted, wanted_at) select *
    from unnest(${told.map((c) => c.deviceId)}::bigint[],
    ${told.map((c) => c.kind)}::text[], ${told.map((c) => c.orgId)}::bigint[],
    ${told.map(() => 0)}::int[], ${told.map((c) => iso(c.at))}::timestamptz[])
    order by 1, 2 on conflict do nothing`.execute(ctx.db)
  const devices = [...new Set([...told.map((claim) => claim.deviceId), ...greeted])]
  const rows = await rowsOf<Row>(
    ctx.db,
  )`select device_id as "deviceId", kind, greatest(wanted, delivered) as version,
    runs_place as runs, refuses_place as refuses from device_shadows
    where device_id = any(${devices}::bigint[]) order by device_id, kind for update`
  const { claims, doubts } = judged(told, rows)
  if (claims.length) await writeClaims(ctx, claims)
  if (greeted.length) {
    const { numAffectedRows } = await sql`update device_shadows set delivered = 0, sends = 0
      where device_id = any(${greeted}::bigint[]) and applied <> wanted and refused <> wanted
        and (delivered, sends) <> (0, 0)`.execute(ctx.db)
    if (numAffectedRows || claims.length) ctx.touch('shadows', orgs)
  } else if (claims.length) ctx.touch('shadows', orgs)
  return doubts
}

type Row = {
  readonly deviceId: number
  readonly kind: DocumentKind
  readonly version: number
  readonly runs: string | null
  readonly refuses: string | null
}
/**
 * Without those that an earlier one, said later, contradicts. Nobody has written a later version
 * than the newest: whoever says so works with something else, and is sent what it should have.
 */
function judged(
  told: readonly Claim[],
  rows: readonly Row[],
): { claims: Claim[]; doubts: Doubt[] } {
  const stored = new Map(rows.map((row) => [`${row.deviceId}/${row.kind}`, row]))
  const rowOf = ({ deviceId, kind }: Claim) => stored.get(`${deviceId}/${kind}`)
  const standing = told.filter((claim) => claim.place > (rowOf(claim)?.[claim.slot] ?? ''))
  const isOurs = (claim: Claim) => claim.version <= (rowOf(claim)?.version ?? 0)
  return {
    claims: standing.map((claim) => (isOurs(claim) ? claim : { ...claim, version: 0, reason: '' })),
    doubts: standing
      .filter((claim) => !isOurs(claim))
      .map(({ fact, kind, version }) =>
        contradiction(fact, 'VERSION', { document: kind, version }),
      ),
  }
}

async function writeClaims(ctx: Ctx, claims: readonly Claim[]): Promise<void> {
  const rows = claims.map((c) => ({
    device_id: c.deviceId,
    kind: c.kind,
    slot: c.slot,
    version: c.version,
    reason: c.reason,
    place: c.place,
    at: iso(c.at),
  }))
  await sql`with x as (select device_id, kind, max(version) filter (where slot = 'runs') as runs,
    max(place) filter (where slot = 'runs') as runs_place,
      max(version) filter (where slot = 'refuses') as refuses,
      max(place) filter (where slot = 'refuses') as refuses_place,
      max(reason) filter (where slot = 'refuses') as reason, max(at) as at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(device_id bigint, kind text,
        slot text, version int, reason text, place text, at timestamptz) group by 1, 2)
    update device_shadows s set applied = coalesce(x.runs, s.applied),
      runs_place = coalesce(x.runs_place, s.runs_place), refused = coalesce(x.refuses, s.refused),
      refuses_place = coalesce(x.refuses_place, s.refuses_place),
      reason = coalesce(x.reason, s.reason), answered_at = greatest(s.answered_at, x.at)
    from x where s.device_id = x.device_id and s.kind = x.kind`.execute(ctx.db)
}
