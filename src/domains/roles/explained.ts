import { z } from 'zod'
import * as f from '../../shared/fields.ts'

/** Shapes of the permission explainer: a chain of links, each with what decides it. */

export const rightReasons = [
  'CLOSED',
  'NO_ROLE_LISTS',
  'ROLE_DISABLED',
  'PLATFORM_ONLY',
  'REGULATOR_READS',
  'READ_MISSING',
] as const
export const pageReasons = [
  'CLOSED',
  'NO_SCREEN',
  'MENU_DISABLED',
  'GROUP_DISABLED',
  'NO_ROLE_LISTS',
  'ROLE_DISABLED',
  'NO_RIGHT',
  'GROUP_MISSING',
] as const
export const rowRules = [
  'NO_RIGHT',
  'EVERYTHING',
  'OWN_TREE',
  'SHARED_FROM_ABOVE',
  'ASSIGNED',
  'REGION',
  'OUTSIDE_TREE',
  'NOT_ASSIGNED',
  'OUTSIDE_REGION',
  'NOT_A_DRUG',
  'NOT_FOUND',
] as const
export type RightReason = (typeof rightReasons)[number]
export type PageReason = (typeof pageReasons)[number]
export type RowRule = (typeof rowRules)[number]

/** Kinds of rows it can be asked about, by number or id. */
export const resources = ['device', 'order', 'product', 'user', 'organisation'] as const

export const RoleHeld = z.strictObject({
  id: f.id,
  name: z.string(),
  nameEn: z.string(),
  identifier: z.string(),
  enabled: z.boolean(),
  rank: z.number().int(),
  dataScope: z.string(),
})
export const CodeAnswer = z.strictObject({
  permission: z.string(),
  zh: z.string(),
  en: z.string(),
  group: z.string(),
  granted: z.boolean(),
  /** Roles that list it; of these `through` are the ones that count. */
  listedBy: z.array(f.id),
  through: z.array(f.id),
  scopes: z.array(z.string()),
  /** The first missing link. */
  reason: z.enum(rightReasons).nullable(),
  /** The read it leans on. */
  read: z.string().nullable(),
})
export type CodeAnswer = z.infer<typeof CodeAnswer>

export const PageAnswer = z.strictObject({
  path: z.string(),
  zh: z.string(),
  en: z.string(),
  groupZh: z.string(),
  groupEn: z.string(),
  permission: z.string().nullable(),
  shown: z.boolean(),
  /** Opens by a button on its neighbour, not from the menu. */
  hidden: z.boolean(),
  through: z.array(f.id),
  reason: z.enum(pageReasons).nullable(),
})
export type PageAnswer = z.infer<typeof PageAnswer>

export const RowAnswer = z.strictObject({
  resource: z.enum(resources),
  id: f.id.nullable(),
  number: z.string(),
  name: z.string(),
  orgName: z.string(),
  permission: z.string(),
  visible: z.boolean(),
  rule: z.enum(rowRules),
})
export type RowAnswer = z.infer<typeof RowAnswer>

export const Explanation = z.strictObject({
  user: z.strictObject({ id: f.id, userName: z.string(), name: z.string(), orgName: z.string() }),
  /** Why he cannot even sign in. */
  closed: z.enum(['USER_DISABLED', 'ORG_DISABLED', 'NO_ROLE']).nullable(),
  roles: z.array(RoleHeld),
  pages: z.array(PageAnswer),
  rights: z.array(CodeAnswer),
  /** Null when no row was asked for. */
  row: RowAnswer.nullable(),
})
export type Explanation = z.infer<typeof Explanation>
