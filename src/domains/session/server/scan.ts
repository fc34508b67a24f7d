import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import type { Config } from '../../../server/config.ts'
import { type Ctx, found, refused } from '../../../server/context.ts'
import type { SignedIn } from '../../../server/person.ts'
import { exists, rowOf } from '../../../server/rows.ts'
import { Refusal } from '../../../shared/errors.ts'
import { allowedFrom } from '../../../shared/moves.ts'
import { type session, sessionErrors } from '../contract.ts'
import { deviceOf, scanSeconds, scanStates } from '../rules.ts'
import { admit } from './factor.ts'
import { identityProvider, readIdentity, sha256, signIdentity, type Who } from './identity.ts'
import { accountById } from './queries.ts'
import { wayChanged, waysOf } from './ways.ts'

type Contract = typeof session
type State = keyof typeof scanStates.moves
type Ticket = {
  id: string
  purpose: 'LOGIN' | 'BIND'
  state: State
  problem: '' | 'NOT_BOUND' | 'BOUND_ELSEWHERE'
  user_id: number | null
  session_id: string | null
  openid: string | null
  expires_at: Date
  consumed_at: Date | null
  ip: string
  user_agent: string
}

const columns = sql`id, purpose, state, problem, user_id, session_id, openid, expires_at,
  consumed_at, ip, user_agent`

/** A ticket for the browser that asks; its secret stays with that browser. */
export async function newTicket(ctx: Ctx, owner: SignedIn | null, baseUrl: string) {
  if (!identityProvider(ctx.app.config)) throw new Refusal(sessionErrors.scanUnavailable)
  if (
    owner &&
    (await ctx.db
      .selectFrom('wechat_bindings')
      .select('user_id')
      .where('user_id', '=', owner.userId)
      .executeTakeFirst())
  )
    throw new Refusal(sessionErrors.alreadyBound)
  const secret = randomBytes(32).toString('base64url')
  const { id } = await ctx.db
    .insertInto('scan_tickets')
    .values({
      org_id: owner?.orgId ?? 1,
      purpose: owner ? 'BIND' : 'LOGIN',
      user_id: owner?.userId ?? null,
      session_id: owner?.sessionId ?? null,
      secret_hash: sha256(secret),
      ip: ctx.ip,
      user_agent: ctx.userAgent,
      created_at: ctx.now,
      expires_at: new Date(ctx.now.getTime() + scanSeconds * 1000),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ticket: id, secret, qrContent: `${baseUrl}scan?t=${id}`, expiresIn: scanSeconds }
}

/** Moves a ticket if it may still move; false when somebody else was faster. */
async function move(
  ctx: Ctx,
  id: string,
  next: State,
  change: Partial<{
    openid: string
    user_id: number
    org_id: number
    problem: Ticket['problem']
  }> = {},
): Promise<boolean> {
  const done = await ctx.db
    .updateTable('scan_tickets')
    .set({ state: next, ...change })
    .where('id', '=', id)
    .where('state', 'in', allowedFrom(scanStates, next))
    .where('consumed_at', 'is', null)
    .where((eb) =>
      next === 'EXPIRED' ? eb('expires_at', '<=', ctx.now) : eb('expires_at', '>', ctx.now),
    )
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/**
 * The account before its ticket, as `setPassword` takes them: what ends its sign-ins comes before
 * or after, never in between.
 */
const lockAccount = (ctx: Ctx, id: string) =>
  sql`select 1 from users u join scan_tickets t on t.user_id = u.id
    where t.id = ${id}::uuid for no key update of u`.execute(ctx.db)

/** What the holder of the secret may know; the token is given once, to whoever takes the ticket. */
export async function ticketState(ctx: Ctx, id: string, secret: string, request: FastifyRequest) {
  const ticket = found(
    await rowOf<Ticket>(ctx.db)`select ${columns} from scan_tickets
      where id = ${id}::uuid and secret_hash = ${sha256(secret)}`,
  )
  if (ticket.expires_at <= ctx.now && allowedFrom(scanStates, 'EXPIRED').includes(ticket.state)) {
    await move(ctx, id, 'EXPIRED')
    return { state: 'EXPIRED' as const }
  }
  if (ticket.state !== 'CONFIRMED' || ticket.purpose === 'BIND')
    return { state: ticket.state, problem: ticket.problem }
  await lockAccount(ctx, id)
  // the phone must be the account's still: confirmed is not collected
  const taken = await rowOf<{ user_id: number }>(
    ctx.db,
  )`update scan_tickets t set consumed_at = ${ctx.now}
    where id = ${id}::uuid and state = 'CONFIRMED' and consumed_at is null
      and expires_at > ${ctx.now}
      and exists (select 1 from wechat_bindings w
        where w.user_id = t.user_id and w.openid = t.openid) returning user_id`
  const account = taken && (await accountById(ctx.db, taken.user_id))
  const admitted = account && (await admit(ctx, account, request))
  if (!admitted) return { state: 'EXPIRED' as const }
  return { state: 'CONFIRMED' as const, ...admitted }
}

export const scanIdentity = prepared<
  Contract['scanIdentity'],
  { who: Who | null; redirect: string }
>({
  async prepare(app, input, request) {
    const provider = identityProvider(app.config)
    if (!provider) throw new Refusal(sessionErrors.scanUnavailable)
    return {
      who: await provider.identify({ oauthCode: input.oauthCode, nickname: input.nickname }),
      redirect: `${baseUrlOf(app.config, request)}scan?t=${input.ticket}`,
    }
  },
  async run(ctx, input, { who, redirect }) {
    const provider = identityProvider(ctx.app.config)
    if (!provider) throw new Refusal(sessionErrors.scanUnavailable)
    return {
      provider: provider.name,
      authorizeUrl: who ? null : provider.authorizeUrl(redirect, input.ticket),
      identity: who ? signIdentity(ctx.app.config, provider, who, ctx.now) : null,
    }
  },
})

/**
 * PUBLIC_URL, or in the demo the address the browser came by, whatever it says it was forwarded
 * for; with a slash at its end.
 */
export const baseUrlOf = (
  config: Pick<Config, 'publicUrl' | 'basePath' | 'host'>,
  request: Pick<FastifyRequest, 'protocol' | 'headers'>,
): string =>
  config.publicUrl
    ? `${config.publicUrl.replace(/\/+$/, '')}/`
    : `${request.protocol}://${request.headers.host ?? config.host}${config.basePath}`

async function read(ctx: Ctx, id: string, identity: string): Promise<{ ticket: Ticket; who: Who }> {
  const who = readIdentity(ctx.app.config, identity, ctx.now)
  const ticket = found(
    await rowOf<Ticket>(
      ctx.db,
    )`select ${columns} from scan_tickets where id = ${id}::uuid for update`,
  )
  if (!who) throw new Refusal(sessionErrors.badIdentity)
  if (
    ticket.expires_at <= ctx.now ||
    ticket.consumed_at ||
    (ticket.openid !== null && ticket.openid !== who.openid)
  )
    throw new Refusal(sessionErrors.scanOver)
  return { ticket, who }
}

/** Whether the session that asked for a binding lasts, and is one that showed who it is. */
const asksStill = (ctx: Ctx, { session_id: id }: Ticket): Promise<boolean> =>
  exists(
    ctx.db,
  )`select 1 from sessions where id = ${id}::uuid and revoked_at is null and expires_at > ${ctx.now}
    and proven_at is not null`

/** Whose account the scan is about, or why it cannot be. */
async function subject(
  ctx: Ctx,
  ticket: Ticket,
  who: Who,
): Promise<number | 'NOT_BOUND' | 'BOUND_ELSEWHERE'> {
  if (ticket.purpose === 'BIND' && !(await asksStill(ctx, ticket)))
    throw new Refusal(sessionErrors.scanOver)
  const bound = await ctx.db
    .selectFrom('wechat_bindings')
    .select('user_id')
    .where('openid', '=', who.openid)
    .executeTakeFirst()
  if (ticket.purpose === 'BIND') return bound ? 'BOUND_ELSEWHERE' : (ticket.user_id as number)
  const account = bound && (await accountById(ctx.db, bound.user_id))
  return account?.usable ? account.id : 'NOT_BOUND'
}

async function stop(ctx: Ctx, ticket: Ticket, problem: 'NOT_BOUND' | 'BOUND_ELSEWHERE') {
  await move(ctx, ticket.id, 'REFUSED', { problem })
  return refused(problem === 'NOT_BOUND' ? sessionErrors.notBound : sessionErrors.boundElsewhere)
}

export const scan: Handlers<Contract>['scan'] = async (ctx, input) => {
  const { ticket, who } = await read(ctx, input.id, input.identity)
  if (ticket.state !== 'WAITING' && ticket.state !== 'SCANNED')
    throw new Refusal(sessionErrors.scanOver)
  const about = await subject(ctx, ticket, who)
  if (typeof about === 'string') return stop(ctx, ticket, about)
  const account = found(await accountById(ctx.db, about))
  // the same phone may load its page again
  if (ticket.state === 'WAITING')
    await move(ctx, ticket.id, 'SCANNED', {
      openid: who.openid,
      user_id: about,
      org_id: account.org_id,
    })
  return {
    purpose: ticket.purpose,
    username: account.username,
    ip: ticket.ip,
    device: deviceOf(ticket.user_agent),
  }
}

export const confirmScan: Handlers<Contract>['confirmScan'] = async (ctx, input) => {
  await lockAccount(ctx, input.id)
  const { ticket, who } = await read(ctx, input.id, input.identity)
  if (ticket.state !== 'SCANNED') throw new Refusal(sessionErrors.scanOver)
  const about = await subject(ctx, ticket, who)
  if (typeof about === 'string') return stop(ctx, ticket, about)
  const account = found(await accountById(ctx.db, about))
  if (!account.usable) throw new Refusal(sessionErrors.scanOver)
  if (ticket.purpose === 'BIND') {
    const before = await waysOf(ctx, account.id)
    const made = await ctx.db
      .insertInto('wechat_bindings')
      .values({
        user_id: account.id,
        org_id: account.org_id,
        openid: who.openid,
        unionid: who.unionid,
        nickname: who.nickname,
        bound_at: ctx.now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (!made.numInsertedOrUpdatedRows) return stop(ctx, ticket, 'BOUND_ELSEWHERE')
    await wayChanged(ctx, before, 'WECHAT_BOUND')
  }
  if (!(await move(ctx, ticket.id, 'CONFIRMED'))) throw new Refusal(sessionErrors.scanOver)
  ctx.audit({
    id: account.id,
    name: account.username,
    after: { purpose: ticket.purpose, nickname: who.nickname },
    orgId: account.org_id,
  })
  return { ok: true as const }
}

export const refuseScan: Handlers<Contract>['refuseScan'] = async (ctx, input) => {
  const { ticket } = await read(ctx, input.id, input.identity)
  if (!(await move(ctx, ticket.id, 'REFUSED'))) throw new Refusal(sessionErrors.scanOver)
  return { ok: true as const }
}
