import { bi } from './text.ts'

/**
 * A failure a person can meet. `name` is stable and the i18n key, `code` is the number of the wire
 * (HTTP status followed by three digits; session codes are the specification's).
 */
export type ErrorDef = {
  readonly name: string
  readonly code: number
  readonly status: number
  readonly text: string
}

type Spec = readonly [code: number, zh: string, en: string]

/**
 * Numbers that end in 001 to 009 are families: they say what a caller does about it (sign in again,
 * reload, choose another name), and errors of any domain share them; which one it is says `name`.
 * Every other number belongs to one name. A test compares all of them.
 */
export const isFamily = (code: number): boolean => code % 1000 < 10

/** Errors of one domain: `defineErrors('orders', { notPaid: [422001, '…', '…'] })`. */
export function defineErrors<K extends string>(
  domain: string,
  specs: Record<K, Spec>,
): Record<K, ErrorDef> {
  const entries = Object.entries<Spec>(specs).map(([key, [code, zh, en]]) => {
    const status = code >= 400000 ? Math.floor(code / 1000) : 401
    return [key, { name: `${domain}.${key}`, code, status, text: bi(zh, en) }]
  })
  return Object.fromEntries(entries)
}

export type FieldError = { field: string; message: string }

/** Thrown by a verb that must leave no trace: rolls the transaction back and answers with `def`. */
export class Refusal extends Error {
  readonly def: ErrorDef
  readonly values: Record<string, string | number>
  readonly fields: readonly { field: string; text: string }[]
  constructor(
    def: ErrorDef,
    values: Record<string, string | number> = {},
    fields: readonly { field: string; text: string }[] = [],
  ) {
    super(def.name)
    this.def = def
    this.values = values
    this.fields = fields
  }
}

/** A refusal that stands at fields of the form. */
export const fieldRefusal = (
  def: ErrorDef,
  at: string | readonly string[],
  values: Record<string, string | number> = {},
): Refusal =>
  new Refusal(
    def,
    values,
    [at].flat().map((field) => ({ field, text: def.text })),
  )

/** Throws when a rule of rules.ts found something wrong; `null` means fine. */
export function reject(found: ErrorDef | null, values?: Record<string, string | number>): void {
  if (found) throw new Refusal(found, values)
}

/** The families of quality.md; every endpoint may answer with these. */
export const common = defineErrors('common', {
  invalid: [400001, '请求格式错误', 'The request is not valid'],
  tokenAbsent: [110001, '登录已过期,请重新登录', 'Login has expired, please sign in again'],
  tokenTimedOut: [110002, '登录已过期,请重新登录', 'Login has expired, please sign in again'],
  tokenUnknown: [110003, '登录已过期,请重新登录', 'Login has expired, please sign in again'],
  tokenRevoked: [110004, '登录已过期,请重新登录', 'Login has expired, please sign in again'],
  accountClosed: [110103, '登录已过期,请重新登录', 'Login has expired, please sign in again'],
  forbidden: [403001, '无权限执行该操作', 'You have no permission for this'],
  passwordFirst: [403005, '请先修改密码', 'Change your password first'],
  viewOnly: [
    403004,
    '预览和切换视角时只能查看',
    'While looking through a role or an organisation nothing can be changed',
  ],
  proofNeeded: [403010, '请先验证身份', 'Show that it is you first'],
  factorFirst: [403011, '请先设置两步验证', 'Set up two-step sign-in first'],
  notFound: [404001, '数据不存在或无权查看', 'Not found, or not yours to see'],
  noPath: [404002, 'Request path {url} is not found', 'Request path {url} is not found'],
  wrongMethod: [405001, '请求方法不支持', 'This method is not supported here'],
  stale: [
    409001,
    '数据已被他人修改，请刷新后重试',
    'Somebody changed this meanwhile; reload and try again',
  ],
  keyReused: [409002, '重复请求内容不一致', 'The same request key was used for another request'],
  keyBusy: [409005, '相同请求正在处理，请稍后', 'The same request is being processed'],
  inUse: [409003, '数据正在使用，无法删除', 'In use, cannot be deleted'],
  duplicate: [409004, '数据已存在', 'Already exists'],
  tooLarge: [413001, '请求内容过大', 'The request is too large'],
  wrongType: [415001, '不支持的内容类型', 'This content type is not supported'],
  compressed: [415002, '请求内容不能压缩', 'The request must not be compressed'],
  refused: [422001, '操作失败', 'Operation failed'],
  tooLong: [
    422002,
    '操作时间过长，已全部撤销，请分批进行',
    'This took too long and was taken back; do it in smaller parts',
  ],
  tooDeep: [
    422003,
    '仅可翻阅前 {most} 条，请缩小筛选范围或换一种排序',
    'Only the first {most} rows can be paged through; narrow the filter or sort another way',
  ],
  tooMany: [429001, '操作过于频繁，请稍后再试', 'Too many requests, try again later'],
  unexpected: [500001, '操作失败', 'Operation failed'],
  busy: [503001, '系统繁忙，请稍后再试', 'The system is busy, try again later'],
})

/** Codes on which the client logs out once (specification, section 8). */
export const sessionCodes: readonly number[] = [110001, 110002, 110003, 110004, 110103]
