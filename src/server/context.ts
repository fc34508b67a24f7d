import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { DataScope, HomeKind } from '../shared/access.ts'
import type { Access } from '../shared/contract.ts'
import type { ErrorDef } from '../shared/errors.ts'
import { common, Refusal } from '../shared/errors.ts'
import type { Lang } from '../shared/text.ts'
import type { Config } from './config.ts'
import { type Database, type Db, type Scope, systemScope } from './database.ts'
import type { FileStore } from './files.ts'
import type { JobQueue } from './jobs.ts'
import type { Live } from './live.ts'
import type { View } from './person.ts'
import type { Product } from './product.ts'

export const serverNow = (): Date => new Date()

/** What a process has: opened once by a main, handed to everything. */
export type App = {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly files: FileStore
  readonly jobs: JobQueue
  readonly live: Live
  /** The business that runs here. */
  readonly product: Product
  /** The server's clock; tests inject another. */
  readonly now: () => Date
}

/** Who acts. The acting organisation comes from the session, never from the request. */
export type Actor = {
  readonly userId: number | null
  readonly sessionId: string | null
  /** When he last showed who he is; null: not since this session knows. */
  readonly provenAt?: Date | null
  /** His sign-in has a second step. */
  readonly secondFactor?: boolean
  readonly username: string
  readonly orgId: number
  /** The organisation right below the platform in which his lies; where it is not said, his own. */
  readonly tenant?: number
  /** Identifier of the highest role. */
  readonly role: string
  /**
   * Of the highest role; nobody changes people of an equal or higher one, but a super
   * administrator.
   */
  readonly rank: number
  readonly home: HomeKind
  /** His own organisation is the platform. */
  readonly ofPlatform: boolean
  readonly permissions: ReadonlySet<string>
  /**
   * By which data scopes he holds each of them; nobody gives a right more widely than he has it.
   */
  readonly heldBy?: ReadonlyMap<string, ReadonlySet<DataScope>>
  /** The rows he reaches by the right he acts with. */
  readonly scope: Scope
  /** And by another one. */
  readonly scopeOf?: (access: Access) => Scope
  /** What he looks through, if anything. */
  readonly view?: View
}

/** One request, message or job: one transaction. */
export type Ctx = {
  readonly app: App
  readonly db: Db
  readonly actor: Actor
  readonly now: Date
  readonly lang: Lang
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string
  /** The facts of the log row that an audited endpoint writes; called exactly once by its verb. */
  audit(...entries: AuditEntry[]): void
  /**
   * Tells open screens after commit that rows of this kind changed: in these organisations, else in
   * the actor's and that of the log row.
   */
  touch(topic: string, orgs?: number | Iterable<number | { readonly orgId: number }>): void
  /**
   * A write whose answer nobody waits for: it keeps its place in the order of the statements and
   * leaves with the next one, at the latest with the commit. When it fails, so does the act.
   */
  later(statement: RawBuilder<unknown>): void
  /** Runs after commit; failures are logged, never thrown. */
  afterCommit(work: () => void | Promise<void>): void
  /** After the act, also when it was thrown away: evidence of why it was. */
  afterEnd(work: () => Promise<void>): void
}

export type AuditEntry = {
  id: string | number
  /** Name of the thing for the log's text, e.g. a machine number. */
  name?: string
  /** Whole or in part: of two records the row keeps what differs, masked. */
  before?: unknown
  after?: unknown
  /** Organisation of the thing when it is not the actor's. */
  orgId?: number
  level?: 'INFO' | 'ERROR'
  /** What happened to this thing when it is not what the act is called. */
  action?: string
}

export const systemActor: Actor = {
  userId: null,
  sessionId: null,
  username: 'system',
  orgId: 1,
  role: 'SYSTEM',
  rank: 1000,
  home: 'PLATFORM',
  ofPlatform: true,
  permissions: new Set(),
  scope: systemScope,
}

/** A refusal whose trace must stay: the transaction commits, the caller gets the error. */
export type Refused = {
  readonly refused: ErrorDef
  readonly values?: Record<string, string | number>
  readonly fields?: readonly { field: string; text: string }[]
}
export const refused = (def: ErrorDef, values?: Record<string, string | number>): Refused =>
  values ? { refused: def, values } : { refused: def }
export const isRefused = (value: unknown): value is Refused =>
  typeof value === 'object' && value !== null && 'refused' in value

/** The row, or 404 as for a foreign one. */
export function found<T>(row: T | undefined): T {
  if (row === undefined) throw new Refusal(common.notFound)
  return row
}

export const may = (ctx: Pick<Ctx, 'actor'>, permission: string): boolean =>
  ctx.actor.permissions.has(permission)

/**
 * What hangs on the identifier of the role somebody acts with; through a view it must hold for his
 * own role too.
 */
export const byRole = ({ actor }: Pick<Ctx, 'actor'>, rule: (role: string) => boolean): boolean =>
  rule(actor.role) && (actor.view === undefined || rule(actor.view.ownRole))

/** The first wall: the actor's rows, as a condition. Row policies repeat it. */
export function visible(
  ctx: Pick<Ctx, 'actor'>,
  orgColumn: string,
  deviceColumn?: string,
): RawBuilder<boolean> {
  const { scope } = ctx.actor
  const [only, ...others] = scope.orgs
  const org = scope.all
    ? sql<boolean>`true`
    : only !== undefined && !others.length
      ? // an index is walked in its order only behind one value
        sql<boolean>`${sql.ref(orgColumn)} = ${only}`
      : sql<boolean>`${sql.ref(orgColumn)} = any(${[...scope.orgs]}::bigint[])`
  if (!deviceColumn) return org
  const device = sql.ref(deviceColumn)
  const own =
    scope.devices === null
      ? org
      : sql<boolean>`(${org} and ${device} = any(${[...scope.devices]}::bigint[]))`
  return scope.watched
    ? sql<boolean>`(${own} or ${device} = any(${[...scope.watched]}::bigint[]))`
    : own
}

/**
 * Rows that organisations share downwards (products, categories): own tree and what stands above.
 * `used`: what machines hold that are looked at, as a condition on them.
 */
export function inheritable(
  ctx: Pick<Ctx, 'actor'>,
  orgColumn: string,
  used?: (watched: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  const { scope } = ctx.actor
  if (scope.all) return sql<boolean>`true`
  const shared = sql<boolean>`${sql.ref(orgColumn)} =
    any(${[...scope.orgs, ...scope.ancestors]}::bigint[])`
  return scope.watched && used
    ? sql<boolean>`(${shared} or ${used(sql`any(${[...scope.watched]}::bigint[])`)})`
    : shared
}

/** True when the organisation of a row the actor wants to change is his own or below. */
export const owns = (ctx: Pick<Ctx, 'actor'>, orgId: number): boolean =>
  ctx.actor.scope.all || ctx.actor.scope.orgs.includes(orgId)

/** Rows that both rights reach. */
export function bothScopes(a: Scope, b: Scope): Scope {
  if (a.all) return b
  if (b.all) return a
  const both = (x: readonly number[], y: readonly number[]) => x.filter((id) => y.includes(id))
  return {
    all: false,
    orgs: both(a.orgs, b.orgs),
    ancestors: both(a.ancestors, b.ancestors),
    devices:
      a.devices === null ? b.devices : b.devices === null ? a.devices : both(a.devices, b.devices),
    watched: a.watched && b.watched && both(a.watched, b.watched),
  }
}

/**
 * A name kept with a row is for the people of its organisation, as a name that is read from users
 * is by the row policies.
 */
export const nameFor = (ctx: Pick<Ctx, 'actor'>, orgId: number, name: RawBuilder<unknown>) =>
  owns(ctx, orgId) ? name : sql`''`

/** What somebody is called: by his name, else by what he signs in with; null where there is nobody. */
export const personName = (users: string): RawBuilder<string | null> =>
  sql`coalesce(nullif(${sql.ref(`${users}.real_name`)}, ''), ${sql.ref(`${users}.username`)})`

export const iso = (at: Date): string => at.toISOString()
export const isoOrNull = (at: Date | null): string | null => (at ? at.toISOString() : null)
