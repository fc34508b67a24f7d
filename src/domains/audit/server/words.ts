import type { z } from 'zod'
import { baseType, type Contract, type Endpoint } from '../../../shared/contract.ts'
import { common } from '../../../shared/errors.ts'
import type { Texts } from '../../../shared/locale.ts'
import { type Lang, say } from '../../../shared/text.ts'
import { textsOver } from '../../../shared/words.ts'
import { permissions } from '../../accounts/permissions.ts'
import { contracts, locales, screens } from '../../product.ts'
import { locale } from '../locale.ts'
import { type Change, changesOf, listChange } from '../rules.ts'
import { actionLabel } from './actionText.ts'

/**
 * The words of a log row in the reader's language: rows themselves are kept in Chinese and by code.
 */
const textsOf = (domain: string, lang: Lang): Texts => textsOver(locales[domain], lang)

export function moduleName(module: string, lang: Lang): string {
  const named = (lang === 'en' ? locale.en.modules : locale.zh.modules) as Readonly<
    Record<string, string>
  >
  const { title, many } = textsOf(module, lang)
  if (named[module]) return named[module]
  if (typeof title === 'string') return title
  return typeof many === 'string' ? many.replace(/^[a-z]/, (first) => first.toUpperCase()) : module
}

const audited = Object.entries(contracts as Record<string, Contract>).flatMap(
  ([module, contract]) =>
    Object.values(contract).flatMap((endpoint) =>
      endpoint.audit ? [{ module, action: endpoint.audit }] : [],
    ),
)

/** What the filters offer: modules that exist, and the acts that leave a row. */
export const options = (lang: Lang) => ({
  modules: Object.keys(contracts)
    .map((module) => ({ value: module, label: moduleName(module, lang), module }))
    .sort((a, b) => a.label.localeCompare(b.label, lang)),
  actions: [...new Map(audited.map((entry) => [entry.action, entry])).values()].map(
    ({ module, action }) => ({
      value: action,
      label: actionLabel(action, lang),
      module,
    }),
  ),
})

/**
 * Why something was refused, as the person was told; a text with values is not known any more, so
 * its name stands.
 */
const errorTexts = new Map(
  [
    ...Object.values(common),
    ...Object.values(contracts as Record<string, Contract>).flatMap((contract) =>
      Object.values(contract).flatMap((e) => e.errors),
    ),
  ].map((error) => [error.name, error.text]),
)
export function errorText(name: string, lang: Lang): string {
  const text = say(errorTexts.get(name) ?? name, lang)
  return text.includes('{') ? name : text
}

/** Rights and pages are written down by code and path. */
const entryNames = new Map<string, (lang: Lang) => string>([
  ...permissions.map(
    (entry) => [entry.code, (lang: Lang) => entry[lang === 'en' ? 'en' : 'zh']] as const,
  ),
  ...screens.map((screen) => [screen.path, (lang: Lang) => say(screen.title, lang)] as const),
])

/** Names of a module's fields that are money: its contract says so. */
const moneyOf = new Map<string, ReadonlySet<string>>()
function moneyFields(module: string): ReadonlySet<string> {
  const known = moneyOf.get(module)
  if (known) return known
  const found = new Set<string>()
  for (const endpoint of Object.values((contracts as Record<string, Contract>)[module] ?? {}))
    for (const shape of shapes(endpoint)) collect(shape, found)
  moneyOf.set(module, found)
  return found
}
const shapes = (endpoint: Endpoint): z.ZodType[] => [endpoint.input, endpoint.output]
function collect(type: z.ZodType, found: Set<string>, depth = 0): void {
  const base = baseType(type) as z.ZodType & {
    shape?: Record<string, z.ZodType>
    element?: z.ZodType
  }
  if (depth > 4) return
  if (base.element) collect(base.element, found, depth + 1)
  for (const [key, field] of Object.entries(base.shape ?? {})) {
    if ({ ...baseType(field).meta(), ...field.meta() }.unit === 'fen') found.add(key)
    collect(field, found, depth + 1)
  }
}

/** The changes of a row as people read them: names of fields, words for values, yuan for money. */
export function shownChanges(module: string, before: unknown, after: unknown, lang: Lang) {
  const texts = textsOf(module, lang)
  const money = moneyFields(module)
  const bool = lang === 'en' ? { true: 'Yes', false: 'No' } : { true: '是', false: '否' }
  const shown = changesOf(before, after).map((change: Change) => {
    const key = change.field.split('.').at(-1) as string
    const label = (texts.fields as Texts | undefined)?.[key]
    const words = (texts.enums as Texts | undefined)?.[key] as
      | Readonly<Record<string, string>>
      | undefined
    const show = (value: unknown): string | null => {
      if (value === null || value === undefined || value === '') return null
      if (typeof value === 'boolean') return bool[`${value}`]
      if (typeof value === 'number')
        return money.has(key) ? `¥${(value / 100).toFixed(2)}` : String(value)
      if (typeof value === 'string')
        return (typeof words === 'object' ? words[value] : undefined) ?? value
      return JSON.stringify(value).slice(0, 2000)
    }
    const list = listChange(change.before, change.after)
    const showAll = (items: readonly unknown[]) => {
      const named = items.map(
        (item) =>
          (typeof item === 'string' ? entryNames.get(item)?.(lang) : undefined) ?? show(item) ?? '',
      )
      return named.join(lang === 'en' ? ', ' : '、').slice(0, 2000) || null
    }
    return {
      field: change.field,
      label: typeof label === 'string' ? label : change.field,
      before: list ? showAll(list.gone) : show(change.before),
      after: list ? showAll(list.came) : show(change.after),
    }
  })
  // nothing and empty text look alike
  return shown.filter((change) => change.before !== change.after)
}
