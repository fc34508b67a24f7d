import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { prepared } from '../../../server/bind.ts'
import {
  type App,
  bothScopes,
  type Ctx,
  found,
  iso,
  personName,
  systemActor,
  visible,
} from '../../../server/context.ts'
import { systemScope } from '../../../server/database.ts'
import { keptAnswers } from '../../../server/keptAnswers.ts'
import type { Listener } from '../../../server/live.ts'
import { publicLink } from '../../../server/publicLink.ts'
import { tokenHash, tokenOf } from '../../../server/rateKeys.ts'
import { onlyRow, rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { heavyReads } from '../../../server/shares.ts'
import { common, fieldRefusal, Refusal } from '../../../shared/errors.ts'
import { newOwner } from '../../accounts/server/owner.ts'
import { branchOf, loadPerson } from '../../accounts/server/people.ts'
import type { Board } from '../boardContract.ts'
import type { workbench } from '../contract.ts'
import { LinkRow } from '../linkContract.ts'
import { linkHours, mostLinks, workbenchErrors } from '../rules.ts'
import { boardOf } from './board.ts'

type H = Handlers<typeof workbench>

const stateOf = (ctx: Ctx) => sql`case when l.revoked_at is not null then 'REVOKED'
  when l.expires_at <= ${ctx.now} then 'OVER' else 'LIVE' end`
const listed = (ctx: Ctx) =>
  shape(LinkRow, ['screen_links', 'l'], {
    orgName: sql`o.name`,
    state: stateOf(ctx),
    creator: sql`coalesce(${personName('u')}, '')`,
    createTime: sql`l.created_at`,
    expireTime: sql`l.expires_at`,
    revokeTime: sql`l.revoked_at`,
  })
const from = (ctx: Ctx) => sql`screen_links l join organisations o on o.id = l.org_id
  left join users u on u.id = l.created_by and ${visible(ctx, 'u.org_id')}`

const links: H['links'] = async (ctx, input) => {
  const { rows, total } = await listed(ctx).page(ctx.db, {
    from: from(ctx),
    input,
    last: sql`l.id`,
    sort: { createTime: sql`l.created_at`, expireTime: sql`l.expires_at` },
    where: [
      visible(ctx, 'l.org_id'),
      input.orgId && sql`l.org_id = ${input.orgId}`,
      input.state && sql`${stateOf(ctx)} = ${input.state}`,
    ],
  })
  return { list: rows, total }
}

const createLink: H['createLink'] = async (ctx, { orgId, name, money, time }) => {
  if (money && !ctx.actor.permissions.has('dashboard:money'))
    throw fieldRefusal(workbenchErrors.moneyNotYours, 'money')
  const owner = await newOwner(ctx, orgId ?? ctx.actor.orgId)
  // two that come together wait for each other here
  await sql`select pg_advisory_xact_lock(hashtextextended('screen links', ${owner.id}))`.execute(
    ctx.db,
  )
  const { n } = await onlyRow<{ n: number }>(ctx.db)`select count(*) as n from screen_links
    where org_id = ${owner.id} and revoked_at is null and expires_at > ${ctx.now}`
  if (n >= mostLinks) throw new Refusal(workbenchErrors.tooManyLinks)
  const code = randomBytes(32).toString('base64url')
  const expires = new Date(ctx.now.getTime() + linkHours[time] * 3_600_000)
  const { id } = await ctx.db
    .insertInto('screen_links')
    .values({
      org_id: owner.id,
      name,
      money,
      token_hash: tokenHash(code),
      created_by: ctx.actor.userId as number,
      created_at: ctx.now,
      expires_at: expires,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  ctx.audit({ id, name, orgId: owner.id, after: { name, money, expireTime: iso(expires) } })
  ctx.touch('screen-links')
  // behind the #: browsers send it to nobody
  const url = publicLink(ctx.app.config, `/screen#${code}`)
  return { id, url, expireTime: iso(expires) }
}

const revokeLink: H['revokeLink'] = async (ctx, { id, version }) => {
  const known = found(
    await rowOf<{ name: string; orgId: number }>(ctx.db)`select name, org_id as "orgId"
      from screen_links l where id = ${id} and ${visible(ctx, 'l.org_id')}`,
  )
  const gone = await rowOf(ctx.db)`update screen_links set revoked_at = ${ctx.now},
      revoked_by = ${ctx.actor.userId}, version = version + 1
    where id = ${id} and version = ${version} and revoked_at is null returning id`
  if (!gone) throw new Refusal(common.stale)
  ctx.audit({ id, name: known.name, orgId: known.orgId })
  ctx.touch('screen-links')
  // walls where it is open look at once
  ctx.touch(streamTopic(id), [known.orgId])
  return { ok: true as const }
}

/** Streams of links count like those of a person that nobody is. */
const listenerId = (linkId: number) => -linkId
const streamTopic = (linkId: number) => `sessions:${listenerId(linkId)}`

type Link = {
  id: number
  orgId: number
  path: string
  money: boolean
  by: number
}
/**
 * The link of this code, as an actor. It reaches what its maker may share now, of its organisation
 * alone: who leaves, or loses the right, takes his links along.
 */
async function actorOf(app: App, code: string) {
  const link =
    code &&
    (await app.database.readSame(
      systemScope,
      (db) =>
        rowOf<Link>(db)`select l.id, l.org_id as "orgId", o.path, l.money, l.created_by as by
        from screen_links l join organisations o on o.id = l.org_id
        where l.token_hash = ${tokenHash(code)} and l.revoked_at is null
          and l.expires_at > ${app.now()} and o.status = 'ENABLED'`,
    ))
  if (!link) return null
  const maker = await loadPerson(app.database, link.by)
  if (!maker?.permissions.has('screen:share') || !maker.permissions.has('screen:read')) return null
  const branch = await app.database.readSame(systemScope, (db) => branchOf(db, link.path))
  // what streams tell it of; no endpoint asks for it
  const permissions = new Set(['dashboard:read'])
  const scope = bothScopes(maker.scopeOf('screen:share'), {
    all: false,
    ...branch,
    devices: null,
    watched: null,
  })
  const money = link.money && maker.permissions.has('dashboard:money')
  return scope.orgs.includes(link.orgId) ? { link, scope, money, permissions } : null
}

const hashText = (code: string) => createHash('sha256').update(code).digest('base64url')
/** However many walls a link stands on, its figures are read once in so many milliseconds. */
const keptMs = 4000

async function board(app: App, request: FastifyRequest): Promise<Board> {
  const code = tokenOf(request)
  const known = await actorOf(app, code)
  if (!known) throw new Refusal(workbenchErrors.linkOver)
  const { link, scope, money, permissions } = known
  const shared = { key: `screen ${hashText(code)} ${JSON.stringify([scope, money])}`, ms: keptMs }
  const kept = keptAnswers(app)
  const make = () =>
    app.database.read(scope, (db) => {
      const actor = { ...systemActor, username: 'screen', orgId: link.orgId, permissions, scope }
      return boardOf({ app, db, actor, now: app.now() } as unknown as Ctx, link.orgId, money)
    })
  return (await (kept.find(shared) ??
    heavyReads(app).take(
      `screen ${link.orgId}`,
      () => kept.find(shared) ?? kept.keep(shared, make),
    ))) as Board
}

const wall = prepared<(typeof workbench)['wall'], Board>({
  // in the scope of the link, which is not known before its code is read
  prepare: (app, _input, request) => board(app, request),
  run: async (_ctx, _input, found) => found,
})

/** Who listens with this code, as streams ask; null when it is over. */
export async function listenerOf(app: App, code: string): Promise<Listener | null> {
  const known = await actorOf(app, code)
  if (!known) return null
  const { link, scope, permissions } = known
  return {
    userId: listenerId(link.id),
    // a link may stand on sixteen walls, as a person may have so many streams
    sessionId: `screen ${link.id} ${randomUUID()}`,
    permissions,
    scopeOf: () => scope,
  }
}

export const linkHandlers = { links, createLink, revokeLink, wall }
