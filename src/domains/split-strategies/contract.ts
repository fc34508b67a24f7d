import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { bi } from '../../shared/text.ts'
import { providers } from '../payment-channels/rules.ts'
import { modes } from '../splits/rules.ts'
import { partyFindings, strategyErrors, timingFinding } from './rules.ts'

export const timings = ['MANUAL', 'SECONDS', 'MINUTES', 'HALF_HOUR', 'HOUR', 'NEXT_DAY'] as const
const Mode = z.enum(modes)
const FeeMode = z.enum(['BEFORE', 'AFTER'])
const partyKinds = ['PLATFORM', 'AGENT', 'OPERATOR', 'SPONSOR', 'LANE_TENANT', 'REFERRER'] as const
const State = z
  .enum(['DRAFT', 'PUBLISHED', 'RETIRED'])
  .meta({ tones: { DRAFT: 'paid', PUBLISHED: 'online', RETIRED: 'closed' } })

const noRatio = bi('分账比例不能为空', 'Enter the share')
const ratioRange = bi('分账比例须在0.01到100.00之间', 'A share is from 0.01 to 100.00')
const nobody = bi('请选择分账方', 'Choose the party')
const Party = z
  .strictObject({
    orgId: f.id.nullable().default(null),
    /** A referrer instead of an organisation. */
    referrerId: f.id.nullable().default(null),
    /** Basis points. */
    ratioBp: z.number({ error: noRatio }).int().min(1, ratioRange).max(10_000, ratioRange),
    isCollector: z.boolean().default(false),
  })
  .check(({ value, issues }) => {
    if ((value.orgId === null) === (value.referrerId === null))
      issues.push({ code: 'custom', path: ['orgId'], message: nobody, input: value })
  })
const noParty = bi('至少保留一个策略', 'At least one party')
const parties = z
  .array(Party, noParty)
  .min(1, noParty)
  .max(10, bi('最多10个分账方', 'At most 10 parties'))

const fields = {
  name: f.text(30, bi('策略名称不能为空', 'Enter the name of the strategy')),
  /** Null: the simulator. */
  configId: f.id.nullable().default(null),
  mode: Mode.default('LEDGER'),
  parties,
  feeMode: FeeMode.default('AFTER'),
  timing: z.enum(timings).default('NEXT_DAY'),
  timingNumber: z.number().int().nullable().default(null),
  subsidySplit: z.boolean().default(false),
  validFrom: f.instant.nullable().default(null),
  note: f.optionalLines(200),
  // what it is for besides the machines that are bound to it; the closest counts
  laneIds: f.ids().max(500, bi('最多500个货道', 'At most 500 lanes')).default([]),
  categoryIds: f.ids().max(50, bi('最多50个品类', 'At most 50 categories')).default([]),
  /** Where the categories are sold; empty: on all machines of the organisation. */
  deviceIds: f.ids().max(500, bi('最多500台设备', 'At most 500 machines')).default([]),
}
type Fields = z.output<z.ZodObject<typeof fields>>
function whole({ value, issues }: z.core.ParsePayload<Fields>): void {
  for (const { path, text } of partyFindings(value.parties))
    issues.push({ code: 'custom', path, message: text, input: value })
  if (value.deviceIds.length > 0 && value.categoryIds.length === 0)
    issues.push({
      ...{ code: 'custom', path: ['categoryIds'], input: value },
      message: bi('请选择品类', 'Choose categories'),
    })
  const late = timingFinding(value)
  if (late) issues.push({ code: 'custom', path: ['timingNumber'], message: late, input: value })
}
export const NewStrategy = z.strictObject({ orgId: f.id.optional(), ...fields }).check(whole)
export const EditStrategy = z.strictObject({ id: f.id, version: f.version, ...fields }).check(whole)

const ShownParty = z.strictObject({
  /** One of the two. */
  orgId: f.id.nullable(),
  referrerId: f.id.nullable(),
  name: z.string(),
  kind: z.enum(partyKinds),
  ratioBp: z.number().int(),
  isCollector: z.boolean(),
})
export type ShownParty = z.infer<typeof ShownParty>
const said = {
  ...f.shown(fields),
  mode: Mode,
  feeMode: FeeMode,
  timing: z.enum(timings),
  parties: z.array(ShownParty),
  merchantName: z.string(),
  versionNo: z.number().int(),
}
export const StrategyRow = z.strictObject({
  id: f.id,
  ...said,
  orgId: f.id,
  orgName: z.string(),
  state: State,
  /** The version that waits to be published. */
  draftNo: z.number().int().nullable(),
  /** How many machines are bound to it. */
  deviceCount: f.count,
  /** Given to its parties in the last 30 days; null: it is of machines the reader does not see. */
  recentSplit: f.signedFen.nullable(),
  /** Basis points that somebody above asks at least and does not have: it is to be published anew. */
  least: z.number().int().nullable(),
  /** Referrers of what counts who were disabled: it is to be published anew. */
  ended: z.array(z.string()),
  version: f.version,
  updateTime: f.instant,
  can: z.strictObject({
    update: z.boolean(),
    publish: z.boolean(),
    retire: z.boolean(),
    delete: z.boolean(),
  }),
})
export type StrategyRow = z.infer<typeof StrategyRow>

const { name: _, ...content } = said
export const StrategyVersion = z.strictObject({
  ...content,
  state: z.enum(['DRAFT', 'PUBLISHED']),
  publishedAt: f.instant.nullable(),
  publishedBy: z.string(),
})
export type StrategyVersion = z.infer<typeof StrategyVersion>

const Line = z.strictObject({ gives: z.array(f.signedFen), carries: z.array(z.number().int()) })
const byVersion = z.strictObject({ id: f.id, version: f.version })
const written = [
  strategyErrors.nameTaken,
  strategyErrors.overWechat,
  strategyErrors.overAlipay,
  strategyErrors.wrongParty,
  strategyErrors.referrerEnded,
  strategyErrors.ledgerOnly,
  strategyErrors.wrongCollector,
  strategyErrors.noMerchant,
  strategyErrors.validPast,
  strategyErrors.wrongScope,
  strategyErrors.overlaps,
]

export const splitStrategies = {
  list: read('split-strategy:read', {
    path: '/finance/split-strategies',
    summary: 'Split strategies: who is owed what of the sales of an organisation',
    input: listQuery(
      {
        keyword,
        orgId: f.id.optional(),
        configId: f.id.optional(),
        mode: Mode.optional(),
        state: State.optional(),
        used: z.boolean().optional(),
        belowLeast: z.boolean().optional(),
      },
      ['name', 'updateTime'],
      '-updateTime',
    ),
    output: page(StrategyRow),
    export: 'split-strategy:export',
  }),
  options: read('split-strategy:read', {
    path: '/finance/split-strategies/options',
    summary: 'Published strategies for a picker: the first 50; `id` adds the chosen one',
    input: z.strictObject({ keyword, id: f.id.optional(), orgId: f.id.optional() }),
    output: z.strictObject({
      list: z.array(StrategyRow.pick({ id: true, name: true, orgId: true, versionNo: true })),
    }),
  }),
  merchants: read('split-strategy:read', {
    path: '/finance/split-strategies/merchants',
    summary: 'Merchants of the strategies one sees, for a filter',
    input: z.strictObject({}),
    output: z.strictObject({ list: z.array(z.strictObject({ id: f.id, name: z.string() })) }),
  }),
  choices: read('split-strategy:read', {
    path: '/finance/split-strategies/choices',
    summary: 'Who may have a share of the sales of an organisation, and who takes money for it',
    input: z.strictObject({ orgId: f.id }),
    output: z.strictObject({
      parties: z.array(
        ShownParty.pick({ orgId: true, referrerId: true, name: true, kind: true }).extend({
          /** What a referrer usually gets, in basis points: a proposal. */
          usualBp: z.number().int().nullable(),
        }),
      ),
      categories: z.array(z.strictObject({ id: f.id, name: z.string() })),
      merchants: z.array(
        z.strictObject({
          id: f.id,
          orgId: f.id,
          provider: z.enum(providers),
          name: z.string(),
          feeBp: z.number().int(),
          capBp: z.number().int(),
        }),
      ),
      /** Whom the channel pays at a merchant, and who does not give back what was refunded. */
      receivers: z.array(
        z.strictObject({
          configId: f.id.nullable(),
          orgId: f.id,
          gives: z.boolean(),
        }),
      ),
    }),
  }),
  lanes: read('split-strategy:read', {
    path: '/finance/split-strategies/lanes',
    summary: 'Lanes for the scope of a strategy: those of a machine, and those that were chosen',
    input: z.strictObject({ deviceId: f.id.optional(), laneIds: f.ids().max(500).optional() }),
    output: z.strictObject({
      list: z.array(
        z.strictObject({
          id: f.id,
          deviceId: f.id,
          rtuNumber: z.string(),
          nickname: z.string(),
          road: f.count,
          productName: z.string(),
        }),
      ),
    }),
  }),
  get: read('split-strategy:read', {
    path: '/finance/split-strategies/{id}',
    summary: 'One strategy as it is edited: its draft, or what is published',
    input: z.strictObject({ id: f.id }),
    output: StrategyRow,
  }),
  versions: read('split-strategy:read', {
    path: '/finance/split-strategies/{id}/versions',
    summary: 'The versions of a strategy, the newest first; at most 200',
    input: z.strictObject({ id: f.id }),
    output: z.strictObject({ list: z.array(StrategyVersion) }),
  }),
  diff: read('split-strategy:read', {
    path: '/finance/split-strategies/{id}/versions/diff',
    summary: 'Two versions of a strategy beside each other, and the fields in which they differ',
    input: z.strictObject({ id: f.id, from: f.version, to: f.version }),
    output: z.strictObject({
      from: StrategyVersion,
      to: StrategyVersion,
      changed: z.array(z.string()),
    }),
  }),
  preview: write('split-strategy:read', {
    path: '/finance/split-strategies/preview',
    summary: 'What the parties get of three equal sales, and after the second is refunded',
    audit: { none: 'computes only' },
    errors: [strategyErrors.noMerchant],
    input: z
      .strictObject({
        orgId: f.id,
        amount: f.price.default(350),
        ...{ configId: fields.configId, mode: fields.mode, feeMode: fields.feeMode },
        parties,
      })
      .check(({ value, issues }) => {
        for (const { path, text } of partyFindings(value.parties))
          issues.push({ code: 'custom', path, message: text, input: value })
      }),
    output: z.strictObject({
      fee: f.fen,
      base: f.fen,
      sales: z.array(Line),
      refund: Line,
      next: Line,
    }),
  }),
  create: write('split-strategy:create', {
    path: '/finance/split-strategies',
    summary: 'Add a split strategy as a draft',
    audit: 'splitStrategies.create',
    errors: [...written, strategyErrors.ownerKind],
    input: NewStrategy,
    output: StrategyRow,
  }),
  update: write('split-strategy:update', {
    method: 'PUT',
    path: '/finance/split-strategies/{id}',
    summary: 'Change the draft of a strategy; of a published one a new draft begins',
    audit: 'splitStrategies.update',
    errors: [...written, strategyErrors.noteNeeded],
    input: EditStrategy,
    output: StrategyRow,
  }),
  publish: write('split-strategy:publish', {
    path: '/finance/split-strategies/{id}/publish',
    summary: 'Publish the draft: new orders of its machines use it, and it never changes again',
    audit: 'splitStrategies.publish',
    errors: [
      ...written,
      strategyErrors.noDraft,
      strategyErrors.noReceiver,
      strategyErrors.belowLeast,
      strategyErrors.notSimulated,
    ],
    input: byVersion,
    output: StrategyRow,
  }),
  retire: write('split-strategy:publish', {
    path: '/finance/split-strategies/{id}/retire',
    summary: 'Retire a strategy that no machine uses',
    audit: 'splitStrategies.retire',
    errors: [strategyErrors.inUse, strategyErrors.lastOne],
    input: byVersion,
    output: StrategyRow,
  }),
  copy: write('split-strategy:create', {
    path: '/finance/split-strategies/{id}/copy',
    summary: 'A new draft that says the same under another name',
    audit: 'splitStrategies.copy',
    errors: [strategyErrors.nameTaken],
    input: z.strictObject({ id: f.id }),
    output: StrategyRow,
  }),
  remove: write('split-strategy:delete', {
    method: 'DELETE',
    path: '/finance/split-strategies/{id}',
    summary: 'Delete a draft or retired strategy that was never used',
    audit: 'splitStrategies.remove',
    errors: [strategyErrors.used, strategyErrors.lastOne],
    input: byVersion,
    output: f.done,
  }),
}
