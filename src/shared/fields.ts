import { z } from 'zod'
import { baseType } from './contract.ts'
import { bi, notStorable, storable } from './text.ts'

/** Field shapes used by every contract; messages carry both languages. */

/** Default texts of zod's own checks, so that no bare English reaches a person. */
z.config({
  customError: (issue) => {
    const found = issue as unknown as {
      code: string
      input: unknown
      minimum?: number
      maximum?: number
      origin?: string
      inclusive?: boolean
      keys?: string[]
      format?: string
    }
    if (found.code === 'unrecognized_keys')
      return bi(
        `不支持的字段：${found.keys?.join('、')}`,
        `Unknown field: ${found.keys?.join(', ')}`,
      )
    if (found.input === undefined || found.input === null || found.input === '')
      return bi('不能为空', 'Required')
    if (found.code === 'too_big') {
      if (found.origin === 'string')
        return bi(`不能超过${found.maximum}个字符`, `At most ${found.maximum} characters`)
      if (found.origin === 'array')
        return bi(`最多${found.maximum}项`, `At most ${found.maximum} items`)
      return bi(`不能大于${found.maximum}`, `At most ${found.maximum}`)
    }
    if (found.code === 'too_small') {
      if (found.origin === 'string')
        return bi(`至少${found.minimum}个字符`, `At least ${found.minimum} characters`)
      if (found.origin === 'array')
        return bi(`至少${found.minimum}项`, `At least ${found.minimum} items`)
      if (found.inclusive === false) return bi(`必须大于${found.minimum}`, `Above ${found.minimum}`)
      return bi(`不能小于${found.minimum}`, `At least ${found.minimum}`)
    }
    if (found.code === 'invalid_value') return bi('选项不正确', 'Not one of the choices')
    return bi('格式不正确', 'Wrong format')
  },
})

/**
 * Fields of a form as a row shows them: the same names and kinds, without what is asked only of
 * somebody who writes. What was stored under older rules must still be read.
 */
export const shown = <S extends z.ZodRawShape>(
  fields: S,
): { [K in keyof S]: z.ZodType<z.output<S[K]>> } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, type]) => [name, bare(type as z.ZodType)]),
  ) as never
function bare(type: z.ZodType): z.ZodType {
  const meta = type.meta()
  const plain = kindOf(type)
  return meta && plain !== type ? plain.meta(meta) : plain
}
function kindOf(type: z.ZodType): z.ZodType {
  if (type instanceof z.ZodDefault || type instanceof z.ZodPrefault)
    return bare(type.unwrap() as z.ZodType)
  if (type instanceof z.ZodNullable) return bare(type.unwrap() as z.ZodType).nullable()
  if (type instanceof z.ZodPipe) return bare(type.in as z.ZodType)
  if (type instanceof z.ZodArray) return z.array(bare(type.element as z.ZodType))
  if (type instanceof z.ZodUnion)
    return z.union(type.options.map((option) => bare(option as z.ZodType)))
  if (type instanceof z.ZodLiteral && typeof type.value === 'string') return z.string()
  if (type instanceof z.ZodString) return z.string()
  if (type instanceof z.ZodNumber) return z.number()
  return type
}

/** A row id: a positive integer that JavaScript holds exactly. */
export const id = z
  .number()
  .int()
  .positive()
  .max(Number.MAX_SAFE_INTEGER)
  .meta({ description: 'row id' })

/**
 * Row ids that come together, each once: a doubled one would be done, counted or moved twice.
 * Bounds follow as of any array.
 */
export const ids = (error?: string | { error: string }) =>
  z
    .array(id, error)
    .refine((all) => new Set(all).size === all.length, bi('不能重复', 'Each only once'))

/** How many of something. */
export const count = z.number().int().min(0)

/** Money in fen, never negative. */
export const fen = z
  .number()
  .int()
  .min(0)
  .max(1_000_000_000_000)
  .meta({ description: 'money in fen (1/100 yuan)', unit: 'fen' })

/** Money in fen that may be negative (differences, ledger entries). */
export const signedFen = z.number().int().meta({ description: 'money in fen, signed', unit: 'fen' })

/** A price that somebody is asked for: fen, at least 1, at most ¥100,000. */
export const priceOf = (required: string) =>
  z
    .number({
      error: (issue) =>
        issue.input === undefined || issue.input === null
          ? required
          : bi('价格格式错误', 'Not a price'),
    })
    .int(bi('价格格式错误', 'Not a price'))
    .min(1, bi('价格不能为空或为零', 'The price must be above zero'))
    .max(10_000_000, bi('价格过大', 'The price is too large'))
    .meta({ description: 'price in fen, above zero', unit: 'fen' })
export const price = priceOf(bi('价格不能为空或为零', 'A price is required'))

/** An instant on the wire: ISO-8601 in UTC. */
export const instant = z.iso
  .datetime({ offset: true })
  .meta({ description: 'ISO-8601 instant, UTC', unit: 'instant' })

/** A calendar day, YYYY-MM-DD, in Asia/Shanghai. */
export const day = z.iso
  .date(bi('日期范围错误', 'Not a date'))
  .refine((d) => d >= '2000-01-01' && d <= '2100-12-31', bi('日期范围错误', 'Date out of range'))
  .meta({ description: 'day in Asia/Shanghai', unit: 'day' })

/** A day that somebody is asked for. */
export const dayOf = (required: string) =>
  z
    .string({ error: required })
    .min(1, required)
    .pipe(day)
    .meta({ description: 'day in Asia/Shanghai', unit: 'day' })

/** Required text, trimmed: `text(30, bi('请输入名称', 'Enter a name'))`. */
export const text = (max: number, required: string) =>
  z
    .string({ error: required })
    .trim()
    .min(1, required)
    .max(max, bi(`不能超过${max}个字符`, `At most ${max} characters`))

/** A name people sign in with: full-width letters count as the plain ones (NFKC). */
export const signInName = (name: z.ZodString) =>
  z
    .string({ error: (issue) => name.safeParse(issue.input).error?.issues[0]?.message })
    .refine(storable, notStorable)
    .transform((value) => value.normalize('NFKC'))
    .pipe(name)

/** Text that may be empty. */
export const optionalText = (max: number) => z.string().trim().max(max).default('')

/**
 * The same of what people write in lines: remarks, reasons, what happened. Every other text has one
 * (`plainText`).
 */
export const lines = (max: number, required: string) => text(max, required).meta({ lines: true })
export const optionalLines = (max: number) =>
  z.string().trim().max(max).meta({ lines: true }).default('')
/** Whether a text of this field keeps its lines. */
export const hasLines = (type: z.ZodType | undefined): boolean =>
  type !== undefined && baseType(type).meta()?.lines === true

/** Mainland mobile number; full-width digits are normalised first. */
const halfWidth = (value: string) =>
  value.replace(/[\uff10-\uff19]/g, (c) => String.fromCharCode(c.charCodeAt(0) - 0xfee0)).trim()
export const mobile = z
  .string({ error: bi('请输入手机号码', 'Enter a mobile number') })
  .transform(halfWidth)
  .pipe(z.string().regex(/^1[3-9]\d{9}$/, bi('手机号码不合法', 'Not a valid mobile number')))

/** The row version a form was loaded with; a stale one answers 409. */
export const version = z.number().int().positive().max(2_147_483_647)

/** URL of an image uploaded here. */
export const imageUrl = z
  .string()
  .max(200)
  .regex(/^files\/[a-z0-9-]+\.(jpg|png)$/, bi('请上传图片', 'Upload a picture'))
  .meta({ unit: 'image' })

/** Answer of verbs that have nothing to say. */
export const done = z.strictObject({ ok: z.literal(true) })

/** Of one box of a drug. */
export const traceCode = z
  .string()
  .trim()
  .regex(/^[!-~]{8,64}$/, bi('追溯码格式不正确', 'Not a trace code'))

export const orderNum = z
  .string()
  .regex(/^\d{20}$/)
  .meta({ description: 'order number: Shanghai day and 12 digits' })
