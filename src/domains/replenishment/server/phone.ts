import { sql } from 'kysely'
import { type Handlers, prepared } from '../../../server/bind.ts'
import { type Actor, type App, type Ctx, found, visible } from '../../../server/context.ts'
import { type Db, systemScope } from '../../../server/database.ts'
import { onlyRow, rowOf, rowsOf } from '../../../server/rows.ts'
import type { Output } from '../../../shared/contract.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { takePicture } from '../../files/server/verbs.ts'
import type { replenishment } from '../contract.ts'
import { replenishmentErrors } from '../errors.ts'
import { longest, mostPhotos } from '../rules.ts'
import { said } from './ops.ts'
import { conflictsOf } from './settle.ts'
import { whole } from './visits.ts'

type Contract = Pick<typeof replenishment, 'result' | 'addPhoto'>
type Result = Output<Contract['result']>

/** Own visits are read also when the machine is somebody else's by now. */
const result: Handlers<Contract>['result'] = async (ctx, { clientId }) => {
  const own = found(
    await rowOf<{ id: number; orgId: number; deviceId: number; mine: boolean }>(ctx.db)`
      select v.id, v.org_id as "orgId", v.device_id as "deviceId",
        v.user_id = ${ctx.actor.userId}::bigint as mine
      from replenishment_visits v where v.client_id = ${clientId}::uuid
        and (v.user_id = ${ctx.actor.userId}::bigint
          or ${visible(ctx, 'v.org_id', 'v.device_id')})`,
  )
  const scope = { ...systemScope, all: false, orgs: [own.orgId], devices: [own.deviceId] }
  const there: Ctx = own.mine ? { ...ctx, actor: { ...ctx.actor, scope } } : ctx
  const ops = await rowsOf<Result['ops'][number]>(ctx.db)`select o.op_id as "opId",
      o.client_seq as "clientSeq", o.kind, o.lane_id as "laneId", o.result as state, o.reason
    from visit_ops o where o.visit_id = ${own.id} order by o.client_seq`
  return {
    visit: await whole(there, own.id),
    ops: ops.map((op) => ({ ...op, reason: op.reason && said(ctx, op.reason) })),
    conflicts: await conflictsOf(there, own.id),
  }
}

type Photo = { id: number; orgId: number; deviceId: number; photos: number; known: string | null }
/** An own visit of these days that may have another picture, or has this one. */
async function roomFor(
  db: Db,
  app: App,
  actor: Pick<Actor, 'userId'>,
  { clientId, photoId, laneId }: { clientId: string; photoId: string; laneId?: number | undefined },
): Promise<Photo> {
  const visit = await rowOf<Photo>(db)`
    select v.id, v.org_id as "orgId", v.device_id as "deviceId",
      (select count(*) from visit_photos h where h.visit_id = v.id) as photos,
      (select h.img from visit_photos h where h.id = ${photoId}::uuid and h.visit_id = v.id)
        as known
    from replenishment_visits v where v.client_id = ${clientId}::uuid
      and v.user_id = ${actor.userId}::bigint and v.state <> 'CANCELLED'
      and coalesce(v.opened_at, v.started_at) > ${new Date(app.now().getTime() - longest)}`
  if (!visit) throw new Refusal(common.notFound)
  if (visit.known) return visit
  if (visit.photos >= mostPhotos) throw new Refusal(replenishmentErrors.tooManyPhotos)
  if (laneId === undefined) return visit
  const { n } = await onlyRow<{ n: number }>(db)`select count(*) as n from lanes l
    where l.id = ${laneId} and l.device_id = ${visit.deviceId} and l.org_id = ${visit.orgId}`
  if (!n) throw new Refusal(common.notFound)
  return visit
}

/** Sent again it is the same picture; whoever sends many at once gets five in. */
const addPhoto = prepared<Contract['addPhoto'], { url: string; known: boolean }>({
  async prepare(app, input, request, actor) {
    const { known } = await app.database.read(systemScope, (db) => roomFor(db, app, actor, input))
    return known
      ? { url: known, known: true }
      : { url: await takePicture(app, request, actor), known: false }
  },
  async run(ctx, input, { url, known }) {
    if (known) return { url }
    await sql`select 1 from replenishment_visits where client_id = ${input.clientId}::uuid
      for no key update`.execute(ctx.db)
    const visit = await roomFor(ctx.db, ctx.app, ctx.actor, input)
    if (visit.known) return { url: visit.known }
    // a number that another visit's picture has is nobody's
    found(
      await rowOf(ctx.db)`
        insert into visit_photos (id, org_id, device_id, visit_id, lane_id, img, created_at)
        values (${input.photoId}::uuid, ${visit.orgId}, ${visit.deviceId}, ${visit.id},
          ${input.laneId ?? null}, ${url}, ${ctx.now})
        on conflict do nothing returning id`,
    )
    ctx.touch('replenishment', visit.orgId)
    return { url }
  },
})

export const phoneHandlers: Handlers<Contract> = { result, addPhoto }
