import { locales } from '../domains/locales.ts'
import type { Texts } from '../shared/locale.ts'

/** `orders.refund` + `2026…` -> `退款：2026…`. The log is kept in Chinese; screens translate by the action. */
export function auditText(action: string, name: string): string {
  const [domain = '', key = ''] = action.split('.')
  const labels = locales[domain]?.zh.audit as Texts | undefined
  const label = labels?.[key]
  if (typeof label !== 'string') throw new Error(`no audit text for ${action}`)
  return `${label}：${name}`.slice(0, 500)
}
