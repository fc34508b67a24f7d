import type { Contract, Endpoint } from '../../../shared/contract.ts'
import type { Texts } from '../../../shared/locale.ts'
import type { Lang } from '../../../shared/text.ts'
import { permissions } from '../../accounts/permissions.ts'
import { contracts, locales } from '../../product.ts'

const textsOf = (domain: string, lang: Lang): Texts =>
  (lang === 'en' ? locales[domain]?.en : locales[domain]?.zh) ?? {}
const endpointNamed = (name: string): Endpoint | undefined => {
  const [domain = '', key = ''] = name.split('.')
  return (contracts as Record<string, Contract>)[domain]?.[key]
}

/**
 * What an action is called: its log text or, for what writes no row of its own, the right it needs.
 */
export function actionLabel(action: string, lang: Lang): string {
  const [domain = '', key = ''] = action.split('.')
  const label = (textsOf(domain, lang).audit as Texts | undefined)?.[key]
  if (typeof label === 'string') return label
  const endpoint = endpointNamed(action)
  const right = permissions.find((permission) => permission.code === endpoint?.access)
  return (right ? (lang === 'en' ? right.en : right.zh) : endpoint?.summary) ?? action
}

/**
 * `orders.refund` + `2026…` -> `退款：2026…`. The log is kept in Chinese; screens translate by the
 * action.
 */
export function auditText(action: string, name: string): string {
  const [domain = '', key = ''] = action.split('.')
  const label = (textsOf(domain, 'zh-CN').audit as Texts | undefined)?.[key]
  if (typeof label !== 'string') throw new Error(`no audit text for ${action}`)
  return `${label}：${name}`.slice(0, 500)
}
