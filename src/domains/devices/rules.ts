import type { ErrorDef } from '../../shared/errors.ts'
import { defineStates } from '../../shared/moves.ts'
import { regionPrefix } from '../../shared/place.ts'
import { isClosed } from '../machines/rules.ts'
import type { freshnesses, lifecycles } from './contract.ts'
import { deviceErrors } from './errors.ts'
import type { timelineGroups } from './historyContract.ts'

type Lifecycle = (typeof lifecycles)[number]

/**
 * Business state of a machine. Sold and scrapped release board and SIM; only the super
 * administrator brings one back, into stock.
 */
export const lifecycleStates = defineStates<Lifecycle>({
  name: 'device',
  column: 'devices.lifecycle',
  start: ['STOCK'],
  moves: {
    STOCK: ['OPERATING', 'SOLD', 'SCRAPPED'],
    OPERATING: ['PAUSED'],
    PAUSED: ['OPERATING', 'SOLD', 'SCRAPPED'],
    SOLD: ['STOCK'],
    SCRAPPED: ['STOCK'],
  },
})

export const editable = (device: { readonly lifecycle: string }): ErrorDef | null =>
  isClosed(device) ? deviceErrors.closed : null

/** As many as a person reads at a glance. */
export const mostTags = 12
type Tag = { readonly id: number; readonly orgId: number }
/**
 * What a machine carries once tags were put on and taken off, each only where it belongs: a tag and
 * its machines have one organisation.
 */
export function retagged<T extends Tag>(
  machine: { readonly orgId: number; readonly lifecycle: string; readonly tags: readonly T[] },
  put: readonly T[],
  taken: readonly T[],
): { after: readonly T[]; refusal: ErrorDef | null } {
  const own = ({ orgId }: Tag) => orgId === machine.orgId
  const without = (tags: readonly T[], others: readonly T[]) =>
    tags.filter(({ id }) => others.every((other) => other.id !== id))
  const kept = without(machine.tags, taken)
  const after = [...kept, ...without(put.filter(own), kept)]
  const elsewhere = ![...put, ...taken].some(own)
  const refusal =
    editable(machine) ??
    (elsewhere ? deviceErrors.tagElsewhere : null) ??
    (after.length > mostTags ? deviceErrors.mostTags : null)
  return { after: refusal ? machine.tags : after, refusal }
}

type Drug = {
  kind: string
  dispensingMode: string | null
  licenceNo: string
  licenceAddress: string
}

/** Only drug machines need a licence; other machines carry none. */
export function licenceRule(device: Drug): ErrorDef | null {
  if (device.kind !== 'DRUG') return null
  return device.dispensingMode && device.licenceNo && device.licenceAddress
    ? null
    : deviceErrors.licenceMissing
}

type Type = { pattern: string; maxLevels: number; maxRoads: number; kind: string }

/** A drug machine and a drug type belong together: the type decides cabinet and cooling. */
export const typeRule = (device: { kind: string }, type: Type): ErrorDef | null =>
  (device.kind === 'DRUG') === (type.kind === 'DRUG') ? null : deviceErrors.typeDiffers

/** With lanes in place the new type must drive them the same way. */
export const typeChange = (before: Type, after: Type, lanes: number): ErrorDef | null =>
  lanes > 0 &&
  (before.pattern !== after.pattern ||
    before.maxLevels !== after.maxLevels ||
    before.maxRoads !== after.maxRoads)
    ? deviceErrors.typeFixed
    : null

/** What a machine needs before customers may buy at it. */
export function readyRule(device: {
  boardNo: string | null
  sellingLanes: number
  licenceMatches: boolean
}): ErrorDef | null {
  if (!device.licenceMatches) return deviceErrors.licenceElsewhere
  return device.boardNo && device.sellingLanes > 0 ? null : deviceErrors.notReady
}

/** A repairer changes board, SIM card and place only (core.md, edit device). */
export const repairerFields: ReadonlySet<string> = new Set([
  'boardNo',
  'card',
  'county',
  'address',
  'lng',
  'lat',
])
/**
 * `roles`: those by which he edits machines; another role beside it, however high, widens nothing
 * unless it lets him edit too.
 */
export const forbiddenFields = (roles: readonly string[], changed: readonly string[]): string[] =>
  roles.every((role) => role === 'ROLE_RTU_REPAIRER')
    ? changed.filter((field) => !repairerFields.has(field))
    : []

/** In hours: fresh below the first, stale above the second. */
export type AgeLimits = { fresh: number; stale: number }
/** How old the last word of a machine is. */
export const freshness = (
  lastSeenAt: string | null,
  now: Date,
  limits: AgeLimits,
): (typeof freshnesses)[number] => {
  const hours = lastSeenAt ? (now.getTime() - Date.parse(lastSeenAt)) / 3_600_000 : Infinity
  return hours < limits.fresh ? 'fresh' : hours <= limits.stale ? 'aging' : 'stale'
}

/** Only he brings a sold or scrapped machine back (core.md, lifecycle). */
export const mayRestore = (role: string): boolean => role === 'ROLE_SUPER_ADMIN'

/** A machine leaves service with nothing owed and nothing inside. */
export function retireRule(machine: { openOrder: boolean; stock: number }): ErrorDef | null {
  if (machine.openOrder) return deviceErrors.openOrder
  return machine.stock > 0 ? deviceErrors.stockLeft : null
}

/**
 * Who hears that a drug machine moved: those of its new region, and those who only had it before.
 */
export function watchersOf(
  people: readonly { id: number; region: string }[],
  from: string,
  to: string,
): { here: number[]; left: number[] } {
  const watches = (county: string) => (person: { region: string }) =>
    person.region !== '' && county.startsWith(regionPrefix(person.region))
  const here = people.filter(watches(to))
  return {
    here: here.map(({ id }) => id),
    left: people
      .filter((person) => watches(from)(person) && !here.includes(person))
      .map(({ id }) => id),
  }
}

type Group = (typeof timelineGroups)[number]
/** Which kinds of messages and events a filter of the timeline shows. */
export const groupKinds: Readonly<
  Record<Group, { messages: readonly string[]; events: readonly string[] }>
> = {
  ONLINE: {
    messages: ['hello', 'bye'],
    events: ['ONLINE', 'OFFLINE', 'SECOND_CONNECTION', 'AREA_OFFLINE'],
  },
  VEND: { messages: ['cmd_ack', 'vend_result'], events: [] },
  COMMAND: { messages: ['cmd_ack', 'cmd_result'], events: ['COMMAND', 'COMMAND_END'] },
  CONFIG: {
    messages: ['applied', 'ota'],
    events: ['CONFIG_WANTED', 'PLANOGRAM_WANTED', 'APK_WANTED', 'FIRMWARE_WANTED'],
  },
  DOOR: { messages: ['door'], events: [] },
  FAULT: { messages: ['fault', 'clear'], events: ['TEMP_ALARM', 'TEMP_CLEAR', 'TEMP_LOCK'] },
  STOCK: {
    messages: ['stock'],
    events: ['RECALL_LOCK', 'RECALL_END', 'EXPIRY_LOCK', 'COMPLIANCE_LOCK'],
  },
  OWNER: {
    messages: [],
    events: [
      ...[
        'OWNER_CHANGED',
        'OWNER_LEFT',
        'PLACE_CHANGED',
        'LIFECYCLE',
        'BOARD_BOUND',
        'BOARD_UNBOUND',
        'BOARD_REPLACED',
      ],
      'MODE_CHANGED',
      ...['BOARD_DISABLED', 'BOARD_ENABLED', 'BOARD_ACTIVATED', 'SECRET_ROTATED'],
    ],
  },
  TELEMETRY: { messages: ['telemetry'], events: [] },
}
