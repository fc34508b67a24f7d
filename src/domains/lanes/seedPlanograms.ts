import { sql } from 'kysely'
import { insertRows } from '../../seed/insertRows.ts'
import { createRandom } from '../../seed/random.ts'
import { systemActor } from '../../server/context.ts'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { skips } from './errors.ts'
import { type Doc, diffDocs } from './planogram.ts'
import { docsOf } from './server/documents.ts'

type Ids = { user: ReadonlyMap<string, number> }
type Machine = { id: number; org_id: number; created_at: Date }
type Person = { id: number; username: string; org_id: number }
const hour = 3_600_000

/**
 * What was saved before today: the drawing of every machine, later prices of some, a copy and price
 * changes of the sample operator.
 */
export async function seedPlanograms(db: Db, ids: Ids, now: Date): Promise<void> {
  const ago = (hours: number) => new Date(now.getTime() - hours * hour)
  const machines = await rowsOf<Machine>(db)`select d.id, d.org_id, d.created_at from devices d
    where d.planogram_version > 0 order by d.id`
  const docs = await docsOf(
    { db, actor: systemActor },
    machines.map(({ id }) => id),
  )
  const people = await rowsOf<Person>(db)`select id, username, org_id from users
    where id = any(${['admin', 'operator'].map((name) => ids.user.get(name) ?? 0)}::bigint[])
    order by id`
  const operator = people.find(({ username }) => username === 'operator')
  const admin = people.find(({ username }) => username === 'admin')
  if (!operator || !admin) return
  const rows: object[] = []
  for (const { id, org_id, created_at } of machines) {
    const doc = docs.get(id) ?? { floors: [], lanes: [] }
    const own = org_id === operator.org_id
    const states = own ? [firstPrices(id, doc), otherGoods(id, doc), doc] : [doc]
    const by = own ? operator : admin
    for (const [index, state] of states.entries()) {
      const before = states[index - 1]
      rows.push({
        org_id,
        device_id: id,
        version: index + 1,
        doc: state,
        diff: diffDocs(before ?? { floors: [], lanes: [] }, state).slice(0, before ? undefined : 0),
        source: (['CREATE', 'PRICE', 'EDIT'] as const)[index],
        by_user: by.id,
        by_name: by.username,
        created_at: index === 0 ? created_at : ago(24 * (20 - 9 * index) - (id % 24)),
      })
    }
  }
  await insertRows(db, 'planogram_versions', rows)
  await db
    .updateTable('devices')
    .set({ planogram_version: 3 })
    .where('org_id', '=', operator.org_id)
    .where('planogram_version', '>', 0)
    .execute()
  // what they run is what was saved, but for two that have not answered yet
  await sql`insert into device_shadows (device_id, kind, org_id, wanted, delivered, applied,
    wanted_at, answered_at)
    select id, 'PLANOGRAM', org_id, planogram_version, planogram_version, planogram_version,
      ${ago(24)}, ${ago(24)} from devices where planogram_version > 0
    on conflict (device_id, kind) do update
    set wanted = excluded.wanted, delivered = excluded.delivered, applied = excluded.applied,
      answered_at = excluded.answered_at`.execute(db)
  const own = machines.filter((machine) => machine.org_id === operator.org_id)
  await seedCopy(db, operator, own, docs, ago)
  await seedSchedules(db, operator, own, docs, ago)
}

/** A tenth of the prices were 0.50 higher, and list prices with them. */
function firstPrices(id: number, doc: Doc): Doc {
  const random = createRandom(`prices/${id}`)
  const dearer = (lane: Doc['lanes'][number]) =>
    lane.price !== null && lane.retailPrice !== null && random.chance(0.1)
      ? { ...lane, price: lane.price + 50, retailPrice: lane.retailPrice + 50 }
      : lane
  const earlier = otherGoods(id, doc)
  return { ...earlier, lanes: earlier.lanes.map(dearer) }
}

/** Two lanes held nothing, and one had another limit. */
function otherGoods(id: number, doc: Doc): Doc {
  const filled = doc.lanes.filter((lane) => lane.productId !== null)
  const bare = new Set([filled[id % 7]?.road, filled[7 + (id % 5)]?.road])
  const limited = filled[15]?.road
  const empty = { productId: null, productName: null, price: null, retailPrice: null, warnQty: 0 }
  return {
    ...doc,
    lanes: doc.lanes.map((lane) => ({
      ...lane,
      ...(bare.has(lane.road) ? empty : lane.road === limited ? { restriction: 2 } : {}),
    })),
  }
}

type Past = (
  db: Db,
  by: Person,
  own: readonly Machine[],
  docs: ReadonlyMap<number, Doc>,
  ago: (hours: number) => Date,
) => Promise<void>

const seedCopy: Past = async (db, by, own, docs, ago) => {
  const [source, ...targets] = own.slice(0, 5)
  if (!source) return
  const { id } = await db
    .insertInto('lane_copies')
    .values({
      org_id: source.org_id,
      device_id: source.id,
      user_id: by.id,
      version: 3,
      doc: JSON.stringify(docs.get(source.id)),
      parts: ['price', 'warnQty'],
      layout: 'SAME',
      created_at: ago(49),
      finished_at: ago(49),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const skipped = [4, 12].map((road) => ({ road, reason: skips.otherProduct }))
  const both = { before_version: 2, after_version: 3 }
  const results = [
    { state: 'DONE', ...both, written: 18, skipped: JSON.stringify(skipped) },
    { state: 'DONE', ...both, written: 23 },
    { state: 'FAILED', problem: skips.noLanes },
    { state: 'DONE', skipped: JSON.stringify(skipped.slice(0, 1)) },
  ] as const
  for (const [index, { org_id, id: device_id }] of targets.entries())
    await db
      .insertInto('lane_copy_targets')
      .values({ copy_id: id, org_id, device_id, attempts: 1, done_at: ago(49), ...results[index] })
      .execute()
}

const seedSchedules: Past = async (db, by, own, docs, ago) => {
  for (const [index, { id, org_id }] of own.slice(0, 3).entries()) {
    const live = await rowsOf<{ id: number; road: number }>(db)`select id, road_index as road
      from lanes where device_id = ${id} and archived_at is null`
    const roads = new Map(live.map((lane) => [lane.road, lane.id]))
    const lanes = (docs.get(id)?.lanes ?? [])
      .filter((lane) => lane.price !== null && lane.price !== lane.retailPrice)
      .slice(0, 4)
      .map(({ road, productId, productName, price: from, retailPrice }) => ({
        ...{ laneId: roads.get(road), road, productId, productName },
        ...{ from, price: retailPrice, retailPrice },
      }))
    if (lanes.length === 0) continue
    const over = index === 2
    const skipped = [{ road: lanes[0]?.road, reason: skips.otherProduct }]
    const ended = { changed: 3, skipped: JSON.stringify(skipped), ended_at: ago(30) }
    await db
      .insertInto('price_schedules')
      .values({
        org_id,
        device_id: id,
        user_id: by.id,
        by_name: by.username,
        run_at: ago(over ? 30 : -40),
        next_at: over ? null : ago(-40),
        lanes: JSON.stringify(lanes),
        created_at: ago(72),
        ...(over ? { state: 'DONE', ...ended } : {}),
      })
      .execute()
  }
}
