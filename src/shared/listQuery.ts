import { z } from 'zod'
import * as f from './fields.ts'
import { bi } from './text.ts'

/** Page sizes of the specification, section 9. */
export const pageSizes = [3, 20, 50, 100, 200] as const
const wrongPage = bi('分页参数错误', 'Wrong page parameters')

/**
 * The query of a list: `page` (1), `pageSize` (20), `sort` (`createTime` or `-createTime`), and the
 * list's own filters. Sort keys are declared here; others never reach SQL.
 */
export function listQuery<F extends z.ZodRawShape, S extends string>(
  filters: F,
  sortable: readonly S[],
  defaultSort: NoInfer<S> | `-${NoInfer<S>}`,
) {
  const keys = sortable.flatMap((key) => [key, `-${key}` as const])
  return z.strictObject({
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
}

/** Free text of a list's search box. */
export const keyword = z.string().trim().max(60).optional()

/** A range of Shanghai days, at most 366; checked by `checkRange` in the list's refine. */
export const rangeFields = { from: f.day.optional(), to: f.day.optional() }

export const rangeError = bi('日期范围错误', 'Wrong date range')
export function rangeIsFine(range: {
  from?: string | undefined
  to?: string | undefined
}): boolean {
  if (!range.from || !range.to) return true
  const days = (Date.parse(range.to) - Date.parse(range.from)) / 86_400_000
  return days >= 0 && days < 366
}

/** Of a list with `rangeFields`: `.refine(...wholeRange)`. */
export const wholeRange = [rangeIsFine, { path: ['to'], message: rangeError }] satisfies Parameters<
  z.ZodObject['refine']
>

/**
 * `{list, total}`, the specification's list answer; `sums` are totals of the whole filter, not of
 * the page.
 */
export const page = <R extends z.ZodType>(row: R) =>
  z.strictObject({ list: z.array(row), total: z.number().int().min(0) })
export const pageWithSums = <R extends z.ZodType, S extends z.ZodType>(row: R, sums: S) =>
  z.strictObject({ list: z.array(row), total: z.number().int().min(0), sums })
