import { z } from 'zod'
import * as f from '../../shared/fields.ts'
import { bi } from '../../shared/text.ts'

/** Kinds of settings: what a value may be, and what the screen needs to draw its field. */

export type Unit =
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'percent'
  | 'bp'
  | 'piece'
  | 'time'
  | 'fen'
  | 'character'
export type Option = { readonly value: string; readonly text: string }
export type Form =
  | {
      readonly kind: 'int'
      readonly min: number
      readonly max: number
      readonly unit: Unit /** What 0 means when it stands outside the bounds. */
      readonly zero?: string
    }
  | { readonly kind: 'bool' }
  | { readonly kind: 'text'; readonly max: number }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'window' }
  | { readonly kind: 'image' }
  | { readonly kind: 'channels' }

export type Level = 'platform' | 'org'
export const sections = [
  'basic',
  'security',
  'trade',
  'funds',
  'device',
  'stock',
  'alarm',
  'complaint',
  'upgrade',
  'log',
] as const
export type Section = (typeof sections)[number]

export type Setting<V = unknown> = {
  readonly section: Section
  readonly name: string
  readonly help: string
  readonly level: Level
  readonly form: Form
  readonly shape: z.ZodType<V>
  readonly fallback: V
  /** Its consumer belongs to a chapter that is not built yet: neither shown nor writable. */
  readonly pending?: true
}
type Kind<V> = Pick<Setting<V>, 'form' | 'shape' | 'fallback'>

type Said = Kind<unknown> & Pick<Setting, 'name' | 'help' | 'pending'> & { readonly level?: Level }
/** Settings of one section; those of another level than the rest say so. */
export const settings = <S extends Readonly<Record<string, Said>>>(
  section: Section,
  level: Level,
  said: S,
) =>
  Object.fromEntries(
    Object.entries(said).map(([key, one]) => [key, { section, level, ...one }]),
  ) as {
    [K in keyof S]: Pick<Setting, 'section' | 'level'> & S[K]
  }

export const outOfRange = (min: number | string, max: number | string): string =>
  bi(`超出允许范围（${min}–${max}）`, `Outside the allowed range (${min}–${max})`)
const zeroIs = {
  never: bi('从不', 'Never'),
  unlimited: bi('不限', 'No limit'),
  off: bi('关闭', 'Off'),
}

export function int(
  unit: Unit,
  min: number,
  max: number,
  fallback: number,
  zero?: keyof typeof zeroIs,
): Kind<number> {
  const wrong =
    unit === 'fen'
      ? outOfRange((min / 100).toFixed(2), (max / 100).toFixed(2))
      : outOfRange(min, max)
  const shape = z
    .number(wrong)
    .int(wrong)
    .refine((n) => (n >= min && n <= max) || (zero !== undefined && n === 0), wrong)
  return {
    form: { kind: 'int', min, max, unit, ...(zero && min > 0 ? { zero: zeroIs[zero] } : {}) },
    shape,
    fallback,
  }
}
export const fen = (min: number, max: number, fallback: number): Kind<number> =>
  int('fen', min, max, fallback)
export const bool = (fallback: boolean): Kind<boolean> => ({
  form: { kind: 'bool' },
  shape: z.boolean(bi('请选择是或否', 'Choose yes or no')),
  fallback,
})
export const text = (max: number, fallback: string): Kind<string> => ({
  form: { kind: 'text', max },
  shape: z
    .string(outOfRange(1, max))
    .trim()
    .min(1, outOfRange(1, max))
    .max(max, outOfRange(1, max)),
  fallback,
})
/** Text that may be left empty, of a form of its own. */
export const optional = (max: number, form: RegExp, wrong: string): Kind<string> => ({
  form: { kind: 'text', max },
  shape: z.string(wrong).trim().max(max, outOfRange(0, max)).regex(form, wrong),
  fallback: '',
})
export function choice<const V extends string>(
  options: Readonly<Record<V, string>>,
  fallback: NoInfer<V>,
): Kind<V> {
  const values = Object.keys(options) as [V, ...V[]]
  return {
    form: { kind: 'choice', options: values.map((value) => ({ value, text: options[value] })) },
    shape: z.enum(values, bi('选项不正确', 'Not one of the choices')) as unknown as z.ZodType<V>,
    fallback,
  }
}

/** The specification's timings (section 9): never, seconds, minutes, half hour, hour. */
export const timings = {
  off: bi('从不', 'Never'),
  s30: bi('30秒', '30 seconds'),
  m1: bi('1分钟', '1 minute'),
  m30: bi('半小时', 'Half an hour'),
  h1: bi('1小时', '1 hour'),
} as const
export const timing = (fallback: keyof typeof timings) => choice(timings, fallback)

const clock = z
  .string(bi('时间格式为 HH:mm', 'A time is HH:mm'))
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, bi('时间格式为 HH:mm', 'A time is HH:mm'))
const Window = z
  .strictObject({ from: clock, to: clock })
  .refine((w) => w.from !== w.to, bi('开始和结束不能相同', 'Start and end are the same'))
export type Window = z.infer<typeof Window>
/** From a time of the day to another; past midnight when the second is the earlier one. */
export const window = (from: string, to: string): Kind<Window> => ({
  form: { kind: 'window' },
  shape: Window,
  fallback: { from, to },
})

export const image = (): Kind<string> => ({
  form: { kind: 'image' },
  shape: z.union([f.imageUrl, z.literal('')]),
  fallback: '',
})

const Channels = z.strictObject({
  message: z.boolean(),
  wechat: z.boolean(),
  sms: z.union([f.mobile, z.literal('')]),
  email: z.union([z.email(bi('邮箱格式不正确', 'Not an e-mail address')).max(100), z.literal('')]),
  webhook: z.union([
    z
      .url({ protocol: /^https$/, error: bi('须为 https 地址', 'Must be an https address') })
      .max(300),
    z.literal(''),
  ]),
})
export type Channels = z.infer<typeof Channels>
export const channels = (): Kind<Channels> => ({
  form: { kind: 'channels' },
  shape: Channels,
  fallback: { message: true, wechat: false, sms: '', email: '', webhook: '' },
})
