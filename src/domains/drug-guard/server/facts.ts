import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { clock } from '../../../server/work.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { regionPath } from '../../../shared/regions.ts'
import { dutySeconds, licenceMatches, type Place, type Queue, usualTemperature } from '../rules.ts'

/** The limits in force of the machine `device`; null where nothing is to be kept cold. */
export const temperatureLimits = (device: string) => sql<{
  low: number | null
  high: number | null
}>`(
  select case when c.device_id is not null then c.temp_min
    when t.refrigeration then ${usualTemperature.min}::numeric end as low,
    case when c.device_id is not null then c.temp_max
      when t.refrigeration then ${usualTemperature.max}::numeric end as high
  from devices m join device_types t on t.id = m.type_id
  left join lateral (select * from device_configs c where c.device_id = m.id
    order by c.config_version desc limit 1) c on true
  where m.id = ${sql.ref(device)})`

/**
 * What the guard is told, as columns of whatever query asks: nothing where there is no drug, so
 * that other goods and machines cost nothing.
 */

/** Of `products p`. */
export const drugOf = sql<never>`case when p.drug_class <> 'NONE' then jsonb_build_object(
  'approvalNo', p.approval_no, 'dosageForm', p.dosage_form, 'manufacturer', p.manufacturer,
  'tempMin', p.store_temp_min, 'tempMax', p.store_temp_max, 'special', p.special_compound) end`

/** Of `lanes l` and `products p`: pieces, and the trace codes that lie with them. */
export const queueOf = sql<Queue>`case when coalesce(p.trace_required, p.drug_class <> 'NONE')
  then jsonb_build_object('pieces', l.quantity,
    'codes', (select count(*) from trace_codes t where t.lane_id = l.id)) end`
export async function queuesOf(
  { db }: Pick<Ctx, 'db'>,
  laneIds: readonly number[],
): Promise<Map<number, Queue>> {
  if (!laneIds.length) return new Map()
  const rows = await rowsOf<{ id: number; queue: Queue }>(db)`
    select l.id, ${queueOf} as queue from lanes l join products p on p.id = l.product_id
    where l.id = any(${[...laneIds]}::bigint[])`
  return new Map(rows.map(({ id, queue }) => [id, queue]))
}
/**
 * Lanes that were locked: a row that was waited for is that of now, but what is counted beside it
 * is as it was when the statement began. Nobody moves the codes of a lane that is held.
 */
export async function withQueues<L extends { id: number; queue: Queue }>(
  ctx: Pick<Ctx, 'db'>,
  lanes: readonly L[],
): Promise<L[]> {
  const coded = lanes.flatMap(({ id, queue }) => (queue ? id : []))
  const now = await queuesOf(ctx, coded)
  return lanes.map((lane) => ({ ...lane, queue: now.get(lane.id) ?? null }))
}

export type RawSite =
  | (Omit<NonNullable<Place['site']>, 'licenceFits'> & { licenceAddress: string; county: string })
  | null
/**
 * Somebody with a licence that holds is there for the store of `devices d`, by the clock of the
 * database. A sign of life that lies ahead is of a clock that was set back, and says nothing.
 */
const pharmacistThere = (app: App, now: Date) => sql`exists (
  select from pharmacist_duties a join pharmacists h on h.user_id = a.user_id and h.org_id = a.org_id
  join users u on u.id = a.user_id and u.status = 'ENABLED'
  where a.store_id = d.store_id and a.org_id = d.org_id and a.ended_at is null
    and ${stillThere(app)} and h.valid_until >= ${shanghaiDay(now)}::date)`
/** Of duties `a`; acts that began a moment before a sign of life see it, too. */
export const stillThere = (
  app: App,
) => sql<boolean>`(a.seen_at <= ${clock(app)} + interval '5 seconds'
  and a.seen_at >= ${clock(app)} - make_interval(secs => ${dutySeconds}))`

/** Of `devices d`. */
export const siteOf = ({
  app,
  now,
}: Pick<Ctx, 'app' | 'now'>) => sql<never>`case when d.kind = 'DRUG' then (
  select jsonb_build_object('today', ${shanghaiDay(now)}::text, 'licenceNo', d.licence_no, 'licenceUntil', d.licence_until,
    'licenceAddress', d.licence_address, 'county', d.county, 'tempMin', g.low, 'tempMax', g.high,
    'pharmacist', d.dispensing_mode = 'PHARMACIST' and ${pharmacistThere(app, now)})
  from ${temperatureLimits('d.id')} g) end`

export const asSite = (raw: RawSite): Place['site'] => {
  if (!raw) return null
  const { licenceAddress, county, ...site } = raw
  const names = regionPath(county).map(({ name }) => name)
  return { ...site, licenceFits: licenceMatches({ kind: 'DRUG', licenceAddress }, names) }
}
/** A row with what the guard is told of its machine. */
export const withSite = <R extends { site: RawSite }>({ site, ...row }: R) => ({
  ...row,
  site: asSite(site),
})
