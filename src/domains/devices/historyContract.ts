import { z } from 'zod'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { listQuery, page, rangeFields } from '../../shared/listQuery.ts'

/** What a machine said, what the platform knows beside it, and what it measured. */

export const timelineGroups = [
  'ONLINE',
  'VEND',
  'COMMAND',
  'CONFIG',
  'DOOR',
  'FAULT',
  'STOCK',
  'OWNER',
  'TELEMETRY',
] as const
/**
 * Messages of the range that are looked through, and events: two weeks of a machine that measures
 * each minute.
 */
export const timelineRows = 20_000

export const TimelineRow = z.strictObject({
  key: z.string(),
  source: z.enum(['MESSAGE', 'EVENT']),
  kind: z.string(),
  createTime: f.instant,
  deviceTime: f.instant.nullable(),
  boot: z.string(),
  seq: f.count.nullable(),
  /** Messages before this one that have not come; the machine was asked for them again. */
  missing: f.count,
  data: z.record(z.string(), z.unknown()),
  note: z.string().nullable(),
  by: z.string(),
  /** The lane and the order of a vend; the order for who may read orders. */
  vend: z.strictObject({ road: f.count, orderNum: z.string().nullable() }).nullable(),
})
export type TimelineRow = z.infer<typeof TimelineRow>

export const telemetrySpans = ['24h', '7d', '30d'] as const
const measured = z.number().nullable()
export const Point = z.strictObject({
  at: f.instant,
  temperature: measured,
  tempMin: measured,
  tempMax: measured,
  humidity: measured,
  rsrp: measured,
})
export type Point = z.infer<typeof Point>

export const historyEndpoints = {
  timeline: read('device:read', {
    path: '/devices/{id}/timeline',
    summary: `Messages of the machine and events around it, newest first; the last seven days unless a range is given. Measurements only when asked for. At most the newest ${timelineRows} of each in the range are looked through`,
    input: listQuery(
      { id: f.id, group: z.enum(timelineGroups).optional(), ...rangeFields },
      ['createTime'],
      '-createTime',
    ),
    /** `cut`: the range holds more than was looked through. */
    output: page(TimelineRow).extend({ sums: z.strictObject({ cut: z.boolean() }) }),
  }),
  telemetry: read('device:read', {
    path: '/devices/{id}/telemetry',
    summary:
      'Temperature, humidity and signal: by ten minutes of the last day, by the hour of seven days, by four hours of thirty',
    input: z.strictObject({ id: f.id, span: z.enum(telemetrySpans).default('24h') }),
    output: z.strictObject({ list: z.array(Point) }),
  }),
}
