import type { Handler } from '../server/bind.ts'
import type { App } from '../server/context.ts'
import type { Domain, Topic } from '../server/domain.ts'
import type { Importer } from '../server/importers.ts'
import type { Standing } from '../server/standing.ts'
import type { Endpoint } from '../shared/contract.ts'
import type { Locale } from '../shared/locale.ts'
import type { Screen } from '../shared/screens.ts'
import * as domains from './domains.ts'

type Domains = typeof domains
type With<K extends keyof Domain> = {
  [D in keyof Domains as Domains[D] extends Record<K, unknown> ? D : never]: Domains[D]
}
/** In one order wherever the list is loaded. */
const all = Object.entries<Domain>(domains).sort(([a], [b]) => (a < b ? -1 : 1))

/** One part of every domain that has it, by the domain's name. */
function parts<K extends keyof Domain>(part: K): [domain: string, NonNullable<Domain[K]>][] {
  return all.flatMap(([name, domain]) => (domain[part] ? [[name, domain[part]]] : []))
}
const byDomain = <T>(entries: readonly (readonly [string, unknown])[]): T =>
  Object.fromEntries(entries) as T

export const contracts = byDomain<{
  readonly [D in keyof With<'contract'>]: Domains[D]['contract']
}>(parts('contract'))
/** Texts by domain; the browser loads them with their pages. */
export const locales = byDomain<Readonly<Record<string, Locale>>>(parts('locale'))
export const screens: readonly Screen[] = parts('screens').flatMap(([, found]) => found)
export const topics: Readonly<Record<string, Topic>> = Object.assign(
  {},
  ...parts('topics').map(([, found]) => found),
)
export const aliases = parts('aliases').flatMap(([, found]) => found)

type AllHandlers = Readonly<Record<string, Readonly<Record<string, Handler<Endpoint>>>>>
let loaded: Promise<AllHandlers> | undefined
/** Every handler of the product. */
export function handlers(): Promise<AllHandlers> {
  loaded ??= Promise.all(
    parts('handlers').map(async ([name, load]) => [name, await load()] as const),
  ).then(byDomain<AllHandlers>)
  return loaded
}

let importing: Promise<readonly Importer[]> | undefined
/** Everything that can be imported from a file. */
export function importers(): Promise<readonly Importer[]> {
  importing ??= Promise.all(parts('importer').map(([, load]) => load())).then((all) => all.flat())
  return importing
}

let measured: Promise<readonly Standing[]> | undefined
/** Everything that may stand open. */
export function standings(): Promise<readonly Standing[]> {
  measured ??= Promise.all(parts('standing').map(([, load]) => load())).then((all) => all.flat())
  return measured
}

/** Starts the background work of every domain. */
export async function startJobs(app: App): Promise<void> {
  for (const [, start] of parts('jobs')) await start(app)
}
