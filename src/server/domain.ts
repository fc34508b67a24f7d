import type { Contract } from '../shared/contract.ts'
import type { Locale } from '../shared/locale.ts'
import type { Screen } from '../shared/screens.ts'
import type { Alias } from './alias.ts'
import type { Handlers } from './bind.ts'
import type { App } from './context.ts'
import type { Importer } from './importers.ts'
import type { Standing } from './standing.ts'

/**
 * What open screens hear of, and who may read what stands behind it: a stream is told of a topic
 * when its person holds one of these rights for rows of the organisation. `shared`: rows that
 * organisations below read too. `watched`: tables whose rows tell whoever only looks at machines of
 * others. Topics that no domain names are heard by the processes alone; those that end in a
 * person's id (`jobs:7`) by him alone.
 */
export type Topic = {
  readonly rights: readonly `${string}:${string}`[]
  readonly shared?: true
  readonly watched?: readonly string[]
}

/**
 * What a domain gives the product, said in its `domain.ts`. Server code is named by functions that
 * load it: a process loads the parts it runs, and a domain may read the whole product without a
 * circle.
 */
export type Domain<C extends Contract = Contract> = {
  readonly contract?: C
  readonly handlers?: () => Promise<Handlers<C>>
  readonly locale?: Locale
  readonly screens?: readonly Screen[]
  readonly topics?: Readonly<Record<string, Topic>>
  /** Starts its background work. */
  readonly jobs?: (app: App) => Promise<void>
  readonly importer?: () => Promise<Importer | readonly Importer[]>
  readonly aliases?: readonly Alias[]
  /** What of it stands open until somebody does something. */
  readonly standing?: () => Promise<readonly Standing[]>
  /**
   * Files that other domains may use besides contract, rules, verbs and pickers, and why: one
   * writer for each kind of fact (scripts/imports.mjs).
   */
  readonly open?: Readonly<Record<string, string>>
}
