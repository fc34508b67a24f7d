import type { StateTable } from '../../shared/moves.ts'
import { defineStates } from '../../shared/moves.ts'
import type { AlertKind, AlertState } from './contract.ts'

/**
 * When an alert opens and closes, and when people hear of it. Times are milliseconds; nothing here
 * looks at a clock or a database.
 */

const minute = 60_000

export const alertMoves: StateTable<AlertState> = defineStates({
  name: 'alerts',
  column: 'alerts.state',
  start: ['OPEN'],
  // closed alerts come back when a machine flaps
  moves: {
    OPEN: ['ACKNOWLEDGED', 'CLOSED'],
    ACKNOWLEDGED: ['CLOSED'],
    CLOSED: ['OPEN', 'ACKNOWLEDGED'],
  },
})

export const alertLimits = {
  /** Whoever opens again so soon after closing by itself counts up instead of a new alert. */
  flapMs: 10 * minute,
  /** So many machines within so long are one alert. */
  together: 5,
  togetherMs: 2 * minute,
  /** Machines that follow the last one so soon join. */
  joinMs: 10 * minute,
  /** Retries of a message, in minutes. */
  retries: [1, 5, 30],
  /** Whoever took a batch and did not say how it ended is dead after this. */
  leaseSeconds: 60,
  batch: 100,
  /**
   * Of an organisation: tests, recipients of mail through the server of somebody above, and invoices
   * it sends; of a tenant: addresses asked whether they want it.
   */
  perDay: { tests: 20, recipients: 1000, confirmations: 50, invoices: 500 },
  linkDays: 7,
} as const

type Usual = {
  readonly level: 'WARN' | 'ERROR'
  readonly threshold: number | null
  readonly unit: 'minute' | 'day' | null
  readonly min: number
  readonly max: number
}
const waits = (
  level: Usual['level'],
  threshold: number,
  min: number,
  max: number,
  unit: Usual['unit'] = 'minute',
): Usual => ({ level, threshold, unit, min, max })
const atOnce: Usual = { level: 'ERROR', threshold: null, unit: null, min: 0, max: 0 }

/**
 * What holds while an organisation has not said otherwise; OFFLINE and POWER_FAIL wait as the
 * setting device.offlineAlertMinutes says.
 */
export const usualRules: Readonly<Record<AlertKind, Usual>> = {
  OFFLINE: waits('WARN', 10, 2, 1440),
  POWER_FAIL: waits('WARN', 10, 2, 1440),
  FAULT: atOnce,
  TEMPERATURE: atOnce,
  DOOR_OPEN: waits('WARN', 10, 1, 1440),
  SECOND_CONNECTION: atOnce,
  SIM_EXPIRING: waits('WARN', 30, 1, 365, 'day'),
  AREA_OFFLINE: waits('ERROR', 3, 2, 120),
  CARRIER_OFFLINE: waits('ERROR', 3, 2, 120),
}
export type Rule = { readonly enabled: boolean; readonly threshold: number | null }
export type RuleOf = (orgId: number, kind: AlertKind) => Rule

export type Cause = 'TIMEOUT' | 'LAST_WILL' | 'POWER_FAIL'
/** The machine is like this now. */
export type Fact = {
  readonly orgId: number
  readonly deviceId: number
  readonly kind: AlertKind
  readonly subject: string
  readonly since: number
  readonly urgent: boolean
  readonly data: Readonly<Record<string, unknown>>
  /** False: an open alert stays, none is opened. */
  readonly mayOpen: boolean
  /** Of a machine that is away. */
  readonly away?: {
    readonly county: string
    readonly carrier: string | null
    readonly cause: Cause
  }
}
/** An alert that is not closed, or the last closed one of its key. */
export type Known = {
  readonly id: number
  readonly orgId: number
  readonly deviceId: number | null
  readonly kind: AlertKind
  readonly subject: string
  readonly open: boolean
  readonly closedAt: number
  readonly reason: 'RECOVERED' | 'HANDLED' | 'MERGED' | 'DROPPED' | null
  /** The machine still works for the organisation of the alert. */
  readonly present: boolean
}
export type Member = {
  readonly alertId: number
  readonly deviceId: number
  readonly since: number
  readonly back: boolean
}
export type State = {
  readonly now: number
  readonly facts: readonly Fact[]
  readonly known: readonly Known[]
  readonly members: readonly Member[]
  readonly ruleOf: RuleOf
  /** Of the machine: outside its hours nobody misses it. */
  readonly openHours: (machine: Pick<Fact, 'orgId' | 'deviceId'>) => boolean
}

export type Opening = Pick<Fact, 'orgId' | 'kind' | 'subject' | 'since' | 'urgent' | 'data'> & {
  readonly deviceId: number | null
  readonly members: readonly Fact[]
  /** The closed alert that opens again instead. */
  readonly again: number | null
}
type Join = { readonly alertId: number; readonly fact: Fact; readonly told: boolean }
type Back = { readonly alertId: number; readonly deviceId: number; readonly orgId: number }
type Close = {
  readonly id: number
  readonly orgId: number
  readonly reason: 'RECOVERED' | 'MERGED' | 'DROPPED'
}
/** `told`: so many joined at once that people hear of it. */
export type Plan = {
  readonly opens: readonly Opening[]
  readonly joins: readonly Join[]
  readonly backs: readonly Back[]
  readonly closes: readonly Close[]
}

type Key = Pick<Known, 'orgId' | 'deviceId' | 'kind' | 'subject'>
export const keyOf = ({ orgId, deviceId, kind, subject }: Key): string =>
  `${orgId}/${deviceId ?? 0}/${kind}/${subject}`
const isAway = (kind: AlertKind): boolean => kind === 'OFFLINE' || kind === 'POWER_FAIL'
const waitOf = (rule: Rule, kind: AlertKind): number =>
  usualRules[kind].unit === 'day' || rule.threshold === null
    ? 0
    : (isAway(kind) ? Math.max(rule.threshold, 2) : rule.threshold) * minute

/** All that has to change so that the alerts say what the facts say. */
export function decide(state: State): Plan {
  const { now, facts, known, members, ruleOf, openHours } = state
  const live = new Set(facts.map(keyOf))
  const awayFacts = new Map(facts.filter((fact) => fact.away).map((fact) => [fact.deviceId, fact]))
  const byKey = (open: boolean) =>
    new Map(known.filter((alert) => alert.open === open).map((alert) => [keyOf(alert), alert]))
  const [openByKey, lastByKey] = [byKey(true), byKey(false)]
  const groups = known.filter((alert) => alert.deviceId === null)
  const membersOf = Map.groupBy(members, (member) => member.alertId)

  const opens: Opening[] = []
  const joins: Join[] = []
  const backs: Back[] = []
  const closes: Close[] = []
  /** Machines that one alert of many speaks for, or that are about to become one. */
  const silent = new Set<number>()

  for (const group of groups) {
    const { id, orgId } = group
    const own = membersOf.get(id) ?? []
    const stillAway = own.filter((member) => awayFacts.get(member.deviceId)?.orgId === orgId)
    // closed by a person: its machines stay silent until they were back
    if (group.open || group.reason === 'HANDLED')
      for (const { deviceId, since, back } of stillAway)
        if (!(group.open && back) && awayFacts.get(deviceId)?.since === since) silent.add(deviceId)
    if (!group.open) continue
    for (const member of own)
      if (!member.back && !stillAway.includes(member))
        backs.push({ alertId: id, deviceId: member.deviceId, orgId })
    const last = Math.max(...own.map((member) => member.since))
    const first = Math.min(...own.map((member) => member.since))
    for (const fact of awayFacts.values()) {
      if (
        silent.has(fact.deviceId) ||
        fact.orgId !== orgId ||
        subjectOf(group.kind, fact) !== group.subject
      )
        continue
      const wasHere = own.some((member) => member.deviceId === fact.deviceId && !member.back)
      const { joinMs, togetherMs } = alertLimits
      if (!wasHere && (fact.since > last + joinMs || fact.since < first - togetherMs)) continue
      joins.push({ alertId: id, fact, told: false })
      silent.add(fact.deviceId)
    }
    const joined = joins.some((join) => join.alertId === id)
    if (!ruleOf(orgId, group.kind).enabled) closes.push({ id, orgId, reason: 'DROPPED' })
    else if (!joined && !stillAway.some((member) => silent.has(member.deviceId)))
      closes.push({ id, orgId, reason: 'RECOVERED' })
  }

  const handled = (fact: Fact): boolean => {
    const last = lastByKey.get(keyOf(fact))
    return last?.reason === 'HANDLED' && fact.since <= last.closedAt
  }
  const free = [...awayFacts.values()].filter(
    (fact) => !silent.has(fact.deviceId) && !handled(fact) && openHours(fact),
  )
  for (const cluster of clusters(free, ruleOf)) {
    const { orgId, kind, members: together } = cluster
    for (const fact of together) silent.add(fact.deviceId)
    const since = Math.min(...together.map((fact) => fact.since))
    const many = { ...cluster, deviceId: null }
    const open = openByKey.get(keyOf(many))
    const wait = Math.max(waitOf(ruleOf(orgId, kind), kind), alertLimits.togetherMs)
    if (open) {
      for (const fact of together) joins.push({ alertId: open.id, fact, told: true })
      const closing = closes.findIndex((close) => close.id === open.id)
      if (closing >= 0) closes.splice(closing, 1)
    } else if (since <= now - wait)
      opens.push({ ...many, since, urgent: false, data: {}, again: flapping(many) })
  }

  for (const fact of facts) {
    if (silent.has(fact.deviceId) && fact.away) continue
    const rule = ruleOf(fact.orgId, fact.kind)
    if (!rule.enabled || !fact.mayOpen || openByKey.has(keyOf(fact)) || handled(fact)) continue
    if (fact.since > now - waitOf(rule, fact.kind) || (fact.away && !openHours(fact))) continue
    opens.push({ ...fact, members: [], again: flapping(fact) })
  }
  const merged = new Set(
    [...joins.map((join) => join.fact), ...opens.flatMap((open) => open.members)].map(keyOf),
  )
  for (const alert of known) {
    if (!alert.open || alert.deviceId === null) continue
    const { id, orgId, kind, present } = alert
    const key = keyOf(alert)
    if (!present || !ruleOf(orgId, kind).enabled) closes.push({ id, orgId, reason: 'DROPPED' })
    else if (merged.has(key)) closes.push({ id, orgId, reason: 'MERGED' })
    else if (!live.has(key)) closes.push({ id, orgId, reason: 'RECOVERED' })
  }
  return { opens, joins, backs, closes }

  function flapping(of: Key): number | null {
    const last = lastByKey.get(keyOf(of))
    const lately = last?.reason === 'RECOVERED' && now - last.closedAt <= alertLimits.flapMs
    return lately ? last.id : null
  }
}

export type Cluster = {
  readonly orgId: number
  readonly kind: 'AREA_OFFLINE' | 'CARRIER_OFFLINE'
  readonly subject: string
  readonly members: readonly Fact[]
}

/**
 * Machines of one organisation that fell together. The larger crowd wins, so that a carrier that
 * fails in ten counties is one alert; a county wins a tie.
 */
export function clusters(facts: readonly Fact[], ruleOf: RuleOf): Cluster[] {
  const found: Cluster[] = []
  for (const [orgId, own] of Map.groupBy(facts, (fact) => fact.orgId)) {
    let left = own
    for (;;) {
      const crowds = (kind: Cluster['kind']) =>
        ruleOf(orgId, kind).enabled ? crowdsOf(orgId, kind, left) : []
      const [largest] = [...crowds('AREA_OFFLINE'), ...crowds('CARRIER_OFFLINE')].sort(
        (a, b) => b.members.length - a.members.length,
      )
      if (!largest) break
      found.push(largest)
      const taken = new Set(largest.members)
      left = left.filter((fact) => !taken.has(fact))
    }
  }
  return found
}

/** What machines of a crowd have in common. */
const subjectOf = (kind: AlertKind, { away }: Fact): string | null =>
  (kind === 'AREA_OFFLINE' ? away?.county : away?.cause === 'POWER_FAIL' ? null : away?.carrier) ||
  null

function crowdsOf(orgId: number, kind: Cluster['kind'], facts: readonly Fact[]): Cluster[] {
  return [...Map.groupBy(facts, (fact) => subjectOf(kind, fact))].flatMap(([subject, own]) =>
    subject === null
      ? []
      : runsOf([...own].sort((a, b) => a.since - b.since)).map((members) => ({
          orgId,
          kind,
          subject,
          members,
        })),
  )
}

/**
 * Stretches of the sorted row in which every machine stands in some window of `togetherMs` with at
 * least `together` machines.
 */
function runsOf(row: readonly Fact[]): Fact[][] {
  const runs: { from: number; to: number }[] = []
  for (let from = 0, to = 0; from < row.length; from++) {
    while (to + 1 < row.length && at(to + 1) - at(from) <= alertLimits.togetherMs) to += 1
    if (to - from + 1 < alertLimits.together) continue
    const last = runs.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else runs.push({ from, to })
  }
  return runs.map((run) => row.slice(run.from, run.to + 1))
  function at(index: number): number {
    return (row[index] as Fact).since
  }
}

const shanghai = 8 * 60 * minute
const day = 1440 * minute
const ofDay = (clock: string): number =>
  (Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))) * minute

/** Whether a time of the day in Shanghai lies in a window that may go past midnight. */
export function inWindow(
  now: number,
  window: { readonly from: string; readonly to: string },
): boolean {
  const [at, from, to] = [(now + shanghai) % day, ofDay(window.from), ofDay(window.to)]
  return from < to ? at >= from && at < to : at >= from || at < to
}

type Quiet = {
  readonly quietFrom: string | null
  readonly quietTo: string | null
  readonly urgentThrough: boolean
}
/** When a message may leave: now, or at the end of the channel's quiet time. */
export function sendTime(now: number, channel: Quiet, urgent: boolean): number {
  const { quietFrom: from, quietTo: to, urgentThrough } = channel
  if (from === null || to === null || (urgent && urgentThrough)) return now
  if (!inWindow(now, { from, to })) return now
  const today = now - ((now + shanghai) % day) + ofDay(to)
  return today > now ? today : today + day
}
