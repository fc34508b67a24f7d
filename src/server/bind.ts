import type { FastifyRequest } from 'fastify'
import type { CallInput, Contract, Endpoint, Input, Output } from '../shared/contract.ts'
import type { App, Ctx, Refused } from './context.ts'

/** What a verb may answer: the contract's output, or a refusal whose trace stays. */
type Answer<E> = Promise<Output<E> | Refused>

/** `prepare` is slow work (argon2, decoding, parsing) that runs before the transaction opens. */
type Prepared<E, P> = {
  prepare: (app: App, input: Input<E>, request: FastifyRequest, actor: Ctx['actor']) => Promise<P>
  run: (ctx: Ctx, input: Input<E>, prepared: P) => Answer<E>
}
// biome-ignore lint/suspicious/noExplicitAny: the prepared value is private to its handler
export type Handler<E> = ((ctx: Ctx, input: Input<E>) => Answer<E>) | Prepared<E, any>

/** One handler for each endpoint of a contract; a missing or extra one does not compile. */
export type Handlers<C extends Contract> = { readonly [K in keyof C]: Handler<C[K]> }

/** A handler with `prepare`, typed from its endpoint. */
export const prepared = <E, P>(handler: Prepared<E, P>): Prepared<E, P> => handler

/**
 * Another operation inside the request of an alias: same caller, permission, rules and log, and a
 * transaction of its own.
 */
export type CallOn = <E extends Endpoint>(endpoint: E, input: CallInput<E>) => Promise<Output<E>>
