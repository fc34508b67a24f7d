import { type RawBuilder, sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, visible } from '../../../server/context.ts'
import { answerOf, selectPage } from '../../../server/lists.ts'
import { common, Refusal } from '../../../shared/errors.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import type { SecurityDetail, SecurityRow, security } from '../contract.ts'

type Row = {
  id: number
  org_id: number
  kind: SecurityRow['kind']
  subject: string
  state: SecurityRow['state']
  times: number
  first_at: Date
  last_at: Date
  device_id: number | null
  rtu_number: string | null
  org_name: string
  detail: Record<string, string | number>
  closer: string | null
  closed_at: Date | null
  remark: string
  version: number
}
const columns = sql`e.id, e.org_id, e.kind, e.subject, e.state, e.times, e.first_at, e.last_at,
  e.device_id, d.rtu_number, o.name as org_name,
  e.detail, coalesce(u.real_name, u.username) as closer, e.closed_at, e.remark, e.version`
const from = sql`security_events e join organisations o on o.id = e.org_id left
  join devices d on d.id = e.device_id left join users u on u.id = e.closed_by`

const shown = (ctx: Ctx, e: Row): SecurityRow => ({
  id: e.id,
  kind: e.kind,
  subject: e.subject,
  state: e.state,
  times: e.times,
  firstTime: iso(e.first_at),
  lastTime: iso(e.last_at),
  deviceId: e.device_id,
  rtuNumber: e.rtu_number ?? '',
  orgName: e.org_name,
  version: e.version,
  can: { close: e.state === 'OPEN' && may(ctx, 'security:update') },
})

async function row(ctx: Ctx, id: number): Promise<Row> {
  const { rows } = await sql<Row>`select ${columns} from ${from}
      where e.id = ${id} and ${visible(ctx, 'e.org_id', 'e.device_id')}`.execute(ctx.db)
  return found(rows[0])
}

const whole = (ctx: Ctx, e: Row): SecurityDetail => ({
  ...shown(ctx, e),
  facts: Object.entries(e.detail).map(([key, value]) => ({ key, value })),
  closeName: e.closer ?? '',
  closeTime: isoOrNull(e.closed_at),
  remark: e.remark,
})

const list: Handlers<typeof security>['list'] = async (ctx, input) => {
  const where: (RawBuilder<unknown> | undefined)[] = [
    visible(ctx, 'e.org_id', 'e.device_id'),
    input.keyword ? sql`strpos(lower(e.subject), lower(${input.keyword})) > 0` : undefined,
    input.kind && sql`e.kind = ${input.kind}`,
    input.state && sql`e.state = ${input.state}`,
    input.orgId ? sql`e.org_id = ${input.orgId}` : undefined,
    input.from ? sql`e.last_at >= ${startOfDay(input.from)}` : undefined,
    input.to ? sql`e.last_at < ${startOfDay(addDays(input.to, 1))}` : undefined,
  ]
  const sort = { lastTime: sql`e.last_at`, times: sql`e.times` }
  const { rows, ...found } = await selectPage<Row>(ctx.db, {
    columns,
    from,
    countFrom: sql`security_events e`,
    input,
    last: sql`e.id`,
    grows: true,
    sort,
    where,
  })
  return answerOf(
    found,
    rows.map((e) => shown(ctx, e)),
  )
}

const get: Handlers<typeof security>['get'] = async (ctx, input) =>
  whole(ctx, await row(ctx, input.id))

const close: Handlers<typeof security>['close'] = async (ctx, input) => {
  const before = await row(ctx, input.id)
  const { rows } = await sql`update security_events
      set state = 'CLOSED', closed_by = ${ctx.actor.userId}, closed_at = ${ctx.now},
        remark = ${input.remark}, version = version + 1
    where id = ${input.id} and version = ${input.version} and state = 'OPEN' returning id`.execute(
    ctx.db,
  )
  if (!rows.length) throw new Refusal(common.stale)
  ctx.audit({
    id: before.id,
    name: before.subject,
    orgId: before.org_id,
    before: { state: before.state },
    after: { state: 'CLOSED', remark: input.remark },
  })
  ctx.touch('security')
  return whole(ctx, await row(ctx, input.id))
}

export const handlers: Handlers<typeof security> = { list, get, close }
