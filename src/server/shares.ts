import { availableParallelism } from 'node:os'
import { type RawBuilder, sql } from 'kysely'
import { neighbourhoodOf } from '../shared/address.ts'
import type { Actor } from './context.ts'
import { openFairQueue } from './fairQueue.ts'
import { perApp } from './perApp.ts'
import type { Caller } from './run.ts'

/**
 * What all people use together, each organisation in its turn; where nobody is signed in, each
 * neighbourhood of addresses. What is left over is for machines and money, which never wait here.
 */

/** As many scanning reads at once as half of the cores. */
export const heavyReads = perApp(() =>
  openFairQueue({
    atOnce: Math.max(1, Math.floor(availableParallelism() / 2)),
    waiting: 40,
    waitMs: 8000,
  }),
)
/** Of ten connections. */
export const lightReads = perApp(() =>
  openFairQueue({ atOnce: 8, each: 6, waiting: 200, waitMs: 8000 }),
)
/**
 * Of fourteen connections, beside those of new orders (door.ts): none can hold what payments need,
 * however long its act takes.
 */
export const writes = perApp(() =>
  openFairQueue({ atOnce: 5, each: 3, waiting: 200, waitMs: 8000 }),
)
/**
 * Comparing and hashing passwords, and nothing that waits for a network or another turn: files and
 * compression share its threads.
 */
export const hashing = perApp(() => openFairQueue({ atOnce: 3, waiting: 40, waitMs: 8000 }))
/** Files that are tried out and taken back: each a transaction of seconds. */
export const dryRuns = perApp(() =>
  openFairQueue({ atOnce: 2, each: 1, waiting: 10, waitMs: 30_000 }),
)

/** A tenant has one turn, however many organisations he makes below his own. */
export const tenantOf = ({ tenant, orgId }: Pick<Actor, 'tenant' | 'orgId'>): number =>
  tenant ?? orgId
/**
 * In SQL: the organisation right below the platform in which a path lies; what the platform's own
 * people do is the platform's.
 */
export const tenantPath = (path: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`subpath(${path}, 0, least(nlevel(${path}), 2))`
/** The same of an organisation by its id. */
export const tenantOfOrg = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select ${tenantPath(sql`o.path`)} from organisations o where o.id = ${id})`
/** And as a name by which things are grouped; whoever is gone stands for himself. */
export const tenantName = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(${tenantOfOrg(id)}::text, ${id}::text)`
export const askerOf = ({ actor, ip }: Pick<Caller, 'actor' | 'ip'>): number | string =>
  actor.userId === null ? neighbourhoodOf(ip) : tenantOf(actor)
