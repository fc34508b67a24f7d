import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { machineIds, machineOutcome } from '../../shared/outcome.ts'
import { bi } from '../../shared/text.ts'
import { modes } from '../splits/rules.ts'
import { deviceSplitErrors } from './rules.ts'

const Trading = z.enum(['NORMAL', 'PAUSED']).meta({ tones: { NORMAL: 'online', PAUSED: 'fault' } })
export const DeviceSplitRow = z.strictObject({
  id: f.id,
  rtuNumber: z.string(),
  machineName: z.string(),
  orgId: f.id,
  operatorName: z.string(),
  strategyId: f.id.nullable(),
  tactics: z.string().nullable(),
  /** The version of which new orders are. */
  versionNo: z.number().int().nullable(),
  mode: z.enum(modes).nullable(),
  merchantName: z.string().nullable(),
  boundAt: f.instant.nullable(),
  /** Given to parties in the last 30 days, less what they gave back. */
  recentSplit: f.signedFen,
  mallTrading: Trading,
  can: z.strictObject({ bind: z.boolean(), release: z.boolean() }),
})
export type DeviceSplitRow = z.infer<typeof DeviceSplitRow>

const ids = machineIds(200, bi('一次最多 200 台设备', 'At most 200 machines at a time'))
const chooseStrategy = bi('请选择分账策略', 'Choose the strategy')
const binding = z.strictObject({
  ids,
  strategyId: z.number({ error: chooseStrategy }).pipe(f.id),
})
const Bound = machineOutcome({ from: z.string(), to: z.string() }).extend({
  /** Takes the deed back; null: nothing was done. */
  actId: z.uuid().nullable(),
})

export const deviceSplits = {
  list: read('split:read', {
    path: '/finance/device-splits',
    summary: 'Which strategy counts for which machine; those without one first',
    input: listQuery(
      {
        keyword,
        rtuNumber: z.string().trim().max(30).optional(),
        orgId: f.id.optional(),
        strategyId: f.id.optional(),
        bound: z.boolean().optional(),
        mode: z.enum(modes).optional(),
        mallTrading: Trading.optional(),
      },
      ['mallTrading', 'rtuNumber', 'boundAt'],
      '-mallTrading',
    ),
    output: page(DeviceSplitRow),
    export: 'split:export',
  }),
  sample: read('split:read', {
    path: '/finance/device-splits/sample',
    summary: 'What the parties of a published strategy get of ten yuan',
    input: z.strictObject({ strategyId: f.id }),
    output: z.strictObject({
      amount: f.fen,
      parties: z.array(z.strictObject({ name: z.string(), amount: f.fen })),
    }),
  }),
  previewBind: read('split:bind', {
    path: '/finance/device-splits/bind',
    summary: 'What the strategy would replace on each machine',
    errors: [deviceSplitErrors.notPublished],
    input: binding,
    output: Bound,
  }),
  bind: write('split:bind', {
    path: '/finance/device-splits/bind',
    summary: 'Bind machines to a published strategy; their new orders use it',
    audit: 'deviceSplits.bind',
    errors: [deviceSplitErrors.notPublished],
    input: binding,
    output: Bound,
  }),
  previewRelease: read('split:release', {
    path: '/finance/device-splits/release',
    summary: 'Which machines have a strategy to be released of',
    input: z.strictObject({ ids }),
    output: Bound,
  }),
  release: write('split:release', {
    path: '/finance/device-splits/release',
    summary: 'Release machines of their strategy: trade in the mall pauses until they have one',
    audit: 'deviceSplits.release',
    input: z.strictObject({
      ids,
      /** Whoever releases was told what it stops (specification, section 8). */
      confirmed: z.literal(
        true,
        bi('释放后商城交易将暂停，请先确认', 'Trade in the mall pauses: confirm it'),
      ),
    }),
    output: Bound,
  }),
  undo: write('split:bind', {
    path: '/finance/device-splits/undo',
    summary: 'Take a binding or release back, for some minutes and by whoever did it',
    audit: 'deviceSplits.undo',
    errors: [deviceSplitErrors.undoTooLate],
    input: z.strictObject({ actId: z.uuid() }),
    output: Bound,
  }),
}
