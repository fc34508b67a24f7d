import { z } from 'zod'
import { read, write } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'
import { regionCode } from '../../shared/place.ts'
import { bi } from '../../shared/text.ts'
import { laneStatuses } from '../lanes/contract.ts'
import { drugClasses } from '../products/rules.ts'

export const expiryStates = ['near', 'expired', 'unknown'] as const
/** Nobody did anything; people were told; the goods were fetched. */
export const handlings = ['OPEN', 'TOLD', 'TAKEN'] as const
export const withinDays = ['d7', 'd30', 'd90', 'd180'] as const
const State = z.enum(expiryStates)
const DrugClass = z.enum(drugClasses)

export const ExpiryRow = z.strictObject({
  /** Lane and place in it. */
  id: z.string(),
  deviceId: f.id,
  rtuNumber: z.string(),
  nickname: z.string(),
  laneId: f.id,
  roadIndex: z.number().int(),
  productId: f.id,
  productName: z.string(),
  drugClass: DrugClass,
  /** Empty and null: of unknown batch. */
  batchNo: z.string(),
  producedOn: f.day.nullable(),
  expiresOn: f.day.nullable(),
  daysLeft: z.number().int().nullable(),
  qty: f.count,
  /** Null for whoever may not know it. */
  costAmount: f.fen.nullable(),
  laneStatus: z.enum(laneStatuses),
  lockReason: z.string().nullable(),
  handling: z.enum(handlings).meta({ tones: { OPEN: 'warn', TOLD: 'paid', TAKEN: 'closed' } }),
  /** When people were told, or the goods were fetched. */
  handleTime: f.instant.nullable(),
})
export type ExpiryRow = z.infer<typeof ExpiryRow>

const Figure = z.strictObject({ rows: f.count, pieces: f.count })
const dayText = bi('天数须为 1–720', 'Days from 1 to 720')
const days = z.number(dayText).int(dayText).min(1, dayText).max(720, dayText)

export const RuleRow = z.strictObject({
  id: f.id,
  productId: f.id.nullable(),
  productName: z.string().nullable(),
  categoryId: f.id.nullable(),
  categoryName: z.string().nullable(),
  days,
})

export const Rule = z
  .strictObject({
    productId: f.id.optional(),
    categoryId: f.id.optional(),
    /** Null takes it away, so that the next one counts: product, category, the organisation's. */
    days: days.nullable(),
  })
  .refine((rule) => (rule.productId === undefined) !== (rule.categoryId === undefined), {
    path: ['productId'],
    message: bi('请选择一个商品或一个分类', 'Choose a product or a category'),
  })

export const expiry = {
  list: read('near-expiry:read', {
    path: '/expiry-items',
    summary:
      'Goods in lanes near their date or past it, by batch; lanes with goods of unknown batch; those that were fetched within 30 days',
    input: listQuery(
      {
        state: State.default('near'),
        deviceId: f.id.optional(),
        productId: f.id.optional(),
        drugClass: DrugClass.optional(),
        batchNo: keyword,
        within: z.enum(withinDays).optional(),
        region: regionCode().optional(),
        handling: z.enum(handlings).optional(),
      },
      ['expiresOn', 'qty', 'rtuNumber'],
      'expiresOn',
    ),
    export: 'near-expiry:export',
    output: page(ExpiryRow),
  }),
  stats: read('near-expiry:read', {
    path: '/expiry-items/stats',
    summary: 'How many rows and pieces are near their date, past it, or of unknown batch',
    heavy: true,
    output: z.strictObject({ near: Figure, expired: Figure, unknown: Figure }),
  }),
  notify: write('near-expiry:update', {
    path: '/expiry-items/notify',
    summary:
      'Asks the replenishers of these lanes to fetch what is near its date or past it, a batch of a lane once within stock.warnMessageHours',
    audit: 'expiry.notify',
    input: z.strictObject({
      laneIds: f
        .ids(bi('请选择货道', 'Choose lanes'))
        .min(1, bi('请选择货道', 'Choose lanes'))
        .max(200, bi('一次最多 200 个货道', 'At most 200 lanes at a time')),
    }),
    /** Lanes told of; told a short while ago; of machines without a replenisher; with fresh goods. */
    output: z.strictObject({ told: f.count, lately: f.count, nobody: f.count, fine: f.count }),
  }),
  rules: read('near-expiry:read', {
    path: '/expiry-settings',
    summary:
      "The organisation's own days for products and categories, and the days of all others; at most 500",
    output: z.strictObject({ list: z.array(RuleRow), drugDays: days, otherDays: days }),
  }),
  saveRule: write('near-expiry:update', {
    method: 'PUT',
    path: '/expiry-settings',
    summary: 'The days of a product or a category at machines of the own organisation and below',
    audit: 'expiry.saveRule',
    input: Rule,
    output: f.done,
  }),
}
