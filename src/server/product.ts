import type { FastifyRequest } from 'fastify'
import type { Contract, Endpoint } from '../shared/contract.ts'
import type { Lang } from '../shared/text.ts'
import type { Alias } from './alias.ts'
import type { Handler } from './bind.ts'
import type { App } from './context.ts'
import type { Topic } from './domain.ts'
import type { SignedIn } from './person.ts'

/**
 * What the platform asks of the business that runs on it; the mains hand it over (src/apps/app.ts).
 */
export type Product = {
  readonly contracts: Readonly<Record<string, Contract>>
  readonly topics: Readonly<Record<string, Topic>>
  readonly aliases: readonly Alias[]
  /** By domain and key of the contract; loaded by the process that serves them. */
  handlers(): Promise<Readonly<Record<string, Readonly<Record<string, Handler<Endpoint>>>>>>
  /**
   * The person behind the Authorization header, or the refusal he gets: files, streams and aliases
   * ask it as endpoints do. `as`: the endpoint that is asked for; `watching`: nothing that a person
   * did.
   */
  signedIn(
    app: App,
    request: FastifyRequest,
    as?: { readonly name: string; readonly endpoint: Endpoint },
    how?: { watching: boolean },
  ): Promise<SignedIn>
  /** How long a proof of who is there counts. */
  proofMinutes(app: App): Promise<number>
  /** What the operation log calls an act that was done to a thing of this name. */
  auditText(action: string, name: string): string
  actionLabel(action: string, lang: Lang): string
}

export type NamedEndpoint = {
  readonly name: string
  readonly domain: string
  readonly key: string
  readonly endpoint: Endpoint
}

/** Every endpoint of every contract, named like `orders.refund`. */
export const endpointsOf = (contracts: Product['contracts']): NamedEndpoint[] =>
  Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries(contract).map(([key, endpoint]) => ({
      name: `${domain}.${key}`,
      domain,
      key,
      endpoint,
    })),
  )
