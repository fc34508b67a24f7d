import { sql } from 'kysely'
import type { App } from '../../../server/context.ts'
import type { Db } from '../../../server/database.ts'
import { rowsOf } from '../../../server/rows.ts'
import { type BusinessWindow, isOpen } from '../../../shared/hours.ts'
import { addDays, dayMs, shanghaiDay, startOfDay } from '../../../shared/instants.ts'
import { cachedFor } from '../../settings/server/values.ts'
import type { AlertKind } from '../contract.ts'
import {
  type Fact,
  inWindow,
  type Known,
  keyOf,
  type Member,
  type State,
  usualRules,
} from '../rules.ts'

/**
 * What the tables say about machines now, and what alerts there are: everything `decide` looks at,
 * in a handful of statements.
 */
export async function readState(app: App, db: Db, now: Date): Promise<State> {
  const own = await ownRules(db)
  const { facts, ownHours } = await readFacts(
    db,
    now,
    (orgId) => own(orgId, 'SIM_EXPIRING')?.threshold ?? usualRules.SIM_EXPIRING.threshold ?? 30,
  )
  const known = await readKnown(db, now, facts)
  const set = await cachedFor(
    app,
    [...facts, ...known].map((one) => one.orgId),
    ['device.businessHours', 'device.offlineAlertMinutes'],
  )
  const usual = (orgId: number, kind: AlertKind) =>
    kind === 'OFFLINE' || kind === 'POWER_FAIL'
      ? set(orgId)['device.offlineAlertMinutes']
      : usualRules[kind].threshold
  return {
    now: now.getTime(),
    facts,
    known,
    members: await readMembers(db, known),
    ruleOf: (orgId, kind) => {
      const rule = own(orgId, kind)
      return { enabled: rule?.enabled ?? true, threshold: rule?.threshold ?? usual(orgId, kind) }
    },
    openHours: ({ orgId, deviceId }) =>
      isOpen(ownHours.get(deviceId) ?? [], now.getTime()) ??
      inWindow(now.getTime(), set(orgId)['device.businessHours']),
  }
}

type Own = { orgId: number; kind: AlertKind; enabled: boolean; threshold: number | null }
async function ownRules(db: Db): Promise<(orgId: number, kind: AlertKind) => Own | undefined> {
  const rules = await rowsOf<Own>(
    db,
  )`select org_id as "orgId", kind, enabled, threshold from alert_rules`
  const own = new Map(rules.map((rule) => [`${rule.orgId}/${rule.kind}`, rule]))
  return (orgId, kind) => own.get(`${orgId}/${kind}`)
}

type Row = Omit<Fact, 'since' | 'away'> & {
  since: Date
  away: Fact['away'] | null
  hours: BusinessWindow[] | null
}

/** How long a second connection counts. */
const secondMs = 30 * 60_000

/** `ownHours`: of the machines that are away. */
async function readFacts(
  db: Db,
  now: Date,
  simDays: (orgId: number) => number,
): Promise<{ facts: Fact[]; ownHours: ReadonlyMap<number, BusinessWindow[]> }> {
  const nothing = sql`null::jsonb as away, null::jsonb as hours`
  const rows = await rowsOf<Row>(db)`
    with d as (select d.id, d.org_id, d.kind = 'DRUG' as drug, d.county, d.board_no,
      d.business_hours from devices d where d.lifecycle = 'OPERATING')
    select d.org_id as "orgId", d.id as "deviceId", case s.offline_cause
      when 'POWER_FAIL' then 'POWER_FAIL' else 'OFFLINE' end as kind, '' as subject,
        s.offline_since as since,
      false as urgent, '{}'::jsonb as data, true as "mayOpen",
      jsonb_build_object('county', d.county, 'carrier', b.carrier, 'cause',
        coalesce(s.offline_cause, 'TIMEOUT')) as away, d.business_hours as hours
    from d join device_states s on s.device_id = d.id left
    join main_boards b on b.board_no = d.board_no where not s.online and s.offline_since is not null
    union all
    select d.org_id, d.id, 'FAULT', f.code, max(f.opened_at), d.drug,
      jsonb_build_object('roads',
        coalesce(jsonb_agg(distinct coalesce(l.road_index, f.road)) filter (where l.id is not null
          or f.road is not null), '[]')), true, ${nothing}
    from d join device_faults f on f.device_id = d.id left join lanes l on l.id = f.lane_id
    where f.closed_at is null and f.level = 'ERROR' and f.code <> 'TEMP_EXCURSION'
    group by d.org_id, d.id, d.drug, f.code
    union all
    select d.org_id, d.id, 'TEMPERATURE', '', coalesce(f.opened_at, ${now}), true,
      jsonb_build_object('detail', coalesce(f.detail, s.temperature || ' °C')), true, ${nothing}
    from d join device_states s on s.device_id = d.id left
    join device_faults f on f.device_id = d.id and f.code = 'TEMP_EXCURSION' and f.closed_at is null
    where s.temp_alarm
    union all
    select d.org_id, d.id, 'DOOR_OPEN', '',
      coalesce(s.door_since, ${new Date(now.getTime() - dayMs)}), false, '{}', s.online, ${nothing}
    from d join device_states s on s.device_id = d.id
    where s.door_open
    union all
    select d.org_id, d.id, 'SECOND_CONNECTION', '', max(e.created_at), false, '{}', true, ${nothing}
    from organisations o cross join lateral (select e.device_id, e.created_at from device_events e
      where e.org_id = o.id and e.created_at > ${new Date(now.getTime() - secondMs)}
        and e.kind = 'SECOND_CONNECTION') e join d on d.id = e.device_id group by d.org_id, d.id
    union all
    select d.org_id, d.id, 'SIM_EXPIRING', coalesce(b.iccid, ''), ${now}::timestamptz, false,
      jsonb_build_object('day', b.sim_expires_on::text), true, ${nothing}
    from d join main_boards b on b.board_no = d.board_no
    where b.sim_expires_on <= ${addDays(shanghaiDay(now), 365)}::date`
  const facts = rows.flatMap(({ hours, away, ...row }) => {
    const since = row.kind === 'SIM_EXPIRING' ? warnFrom(row, simDays) : row.since.getTime()
    return row.kind === 'SIM_EXPIRING' && since > now.getTime()
      ? []
      : [{ ...row, since, ...(away ? { away } : {}) }]
  })
  return {
    facts,
    ownHours: new Map(
      rows.flatMap((row) => (row.hours ? [[row.deviceId, row.hours] as const] : [])),
    ),
  }
}

/** From when on a SIM that ends that day is worth a word. */
const warnFrom = (
  { orgId, data }: Pick<Row, 'orgId' | 'data'>,
  simDays: (orgId: number) => number,
): number => startOfDay(addDays(String(data.day), -simDays(orgId))).getTime()

type KnownRow = Omit<Known, 'closedAt'> & { closedAt: Date | null }

/**
 * Alerts that are not closed; of the other facts the last closed one of their key; alerts of many
 * that were closed lately.
 */
async function readKnown(db: Db, now: Date, facts: readonly Fact[]): Promise<Known[]> {
  const columns = sql`a.id, a.org_id as "orgId", a.device_id as "deviceId", a.kind, a.subject,
    a.state <> 'CLOSED' as open, a.closed_at as "closedAt",
    a.close_reason as reason`
  const open = await rowsOf<KnownRow>(
    db,
  )`select ${columns}, a.device_id is null or exists (select from devices d
      where d.id = a.device_id and d.org_id = a.org_id and d.lifecycle = 'OPERATING') as present
      from alerts a where a.state <> 'CLOSED'`
  // a machine that changed hands may have one of its former owner
  const told = new Set(open.map(keyOf))
  const fresh = facts.filter((fact) => !told.has(keyOf(fact)))
  const closed = await rowsOf<KnownRow>(db)`
    select distinct on (a.org_id, a.device_id, a.kind, a.subject) ${columns}, true as present
    from unnest(${fresh.map((f) => f.orgId)}::bigint[], ${fresh.map((f) => f.deviceId)}::bigint[],
      ${fresh.map((f) => f.kind)}::text[], ${fresh.map((f) => f.subject)}::text[]) as x (org_id,
      device_id, kind, subject)
    join alerts a using (org_id, device_id, kind, subject) where a.state = 'CLOSED'
    order by a.org_id, a.device_id, a.kind, a.subject, a.closed_at desc, a.id desc`
  const groups = await rowsOf<KnownRow>(db)`
    select ${columns}, true as present from alerts a
    where a.device_id is null and a.closed_at > ${new Date(now.getTime() - 30 * dayMs)}
      and (a.close_reason = 'HANDLED' or a.closed_at > ${new Date(now.getTime() - dayMs)})
      order by a.closed_at`
  return [...open, ...closed, ...groups].map((row) => ({
    ...row,
    closedAt: row.closedAt?.getTime() ?? 0,
  }))
}

async function readMembers(db: Db, known: readonly Known[]): Promise<Member[]> {
  const ids = known.filter((alert) => alert.deviceId === null).map((alert) => alert.id)
  if (ids.length === 0) return []
  const rows = await rowsOf<Omit<Member, 'since'> & { since: Date }>(
    db,
  )`select alert_id as "alertId", device_id as "deviceId", since, back_at is not null as back
      from alert_members where alert_id = any(${ids}::bigint[])`
  return rows.map((row) => ({ ...row, since: row.since.getTime() }))
}
