import { z } from 'zod'
import * as f from './fields.ts'
import { bi } from './text.ts'

/** Page sizes of the specification, section 9. */
export const pageSizes = [3, 20, 50, 100, 200] as const
const wrongPage = bi('分页参数错误', 'Wrong page parameters')

/**
 * The query of a list: `page` (1), `pageSize` (20), `sort` (`createTime` or `-createTime`), and the
 * list's own filters. Sort keys are declared here; others never reach SQL. Ranges among the filters
 * are checked (`wholeRange`).
 */
export function listQuery<F extends z.ZodRawShape, S extends string>(
  filters: F,
  sortable: readonly S[],
  defaultSort: NoInfer<S> | `-${NoInfer<S>}`,
) {
  const keys = sortable.flatMap((key) => [key, `-${key}` as const])
  const query = z.strictObject({
    page: z.number(wrongPage).int(wrongPage).min(1, wrongPage).max(100_000, wrongPage).default(1),
    pageSize: z
      .number(wrongPage)
      .refine((n) => (pageSizes as readonly number[]).includes(n), wrongPage)
      .default(20),
    sort: z
      .enum(keys as [S | `-${S}`, ...(S | `-${S}`)[]], bi('排序字段不支持', 'Cannot sort by this'))
      .default(defaultSort as never),
    ...filters,
  })
  return query.superRefine(wholeRange)
}

/** Free text of a list's search box. */
export const keyword = z.string().trim().max(60).optional()

/** A range of Shanghai days, at most 366. */
export const rangeFields = { from: f.day.optional(), to: f.day.optional() }
const mostDays = 366

const rangeError = bi('日期范围错误', 'Wrong date range')
const crossed = bi('最小值不能大于最大值', 'The lowest value is above the highest')

/** The other end of a range, by the name of its lower one: `from`, `dateFrom`, `amountMin`. */
export function upperEnd(lower: string): string | null {
  if (lower === 'from') return 'to'
  if (lower.endsWith('From')) return `${lower.slice(0, -4)}To`
  return lower.endsWith('Min') ? `${lower.slice(0, -3)}Max` : null
}

/**
 * Every range among the fields begins before it ends; of days `from` and `to` are at most 366. Lists
 * have it from `listQuery`; of another object with a range: `.superRefine(wholeRange)`.
 */
export function wholeRange(fields: object, context: z.RefinementCtx): void {
  const values = fields as Readonly<Record<string, unknown>>
  for (const [key, low] of Object.entries(values)) {
    const other = upperEnd(key)
    const high = other === null ? undefined : values[other]
    const message = typeof low === 'number' ? crossed : rangeError
    if (other === null || !isEnd(low) || typeof high !== typeof low) continue
    if (low > (high as typeof low) || (key === 'from' && daysBetween(low, high) >= mostDays))
      context.addIssue({ code: 'custom', path: [other], message })
  }
}
const isEnd = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'
const daysBetween = (from: unknown, to: unknown): number =>
  typeof from === 'string' ? (Date.parse(to as string) - Date.parse(from)) / 86_400_000 : 0

/**
 * `{list, total}`, the specification's list answer; `sums` are totals of the whole filter, not of
 * the page. `more`: of a list that grows with sales no more than `total` were counted.
 */
export const page = <R extends z.ZodType>(row: R) =>
  z.strictObject({
    list: z.array(row),
    total: z.number().int().min(0),
    more: z.literal(true).optional(),
  })
export const pageWithSums = <R extends z.ZodType, S extends z.ZodType>(row: R, sums: S) =>
  page(row).extend({ sums })
