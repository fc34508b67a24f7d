import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, may, visible } from '../../../server/context.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import * as f from '../../../shared/fields.ts'
import { releaseRepairedLanes } from '../../lanes/server/repaired.ts'
import { locale } from '../../machines/locale.ts'
import { refreshDeviceCounters } from '../../machines/server/counters.ts'
import { deviceErrors, type devices, FaultRow } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof devices
const codes: Readonly<Record<string, string>> = locale.zh.enums.faultCode

const fault = shape(
  FaultRow.extend({ orgId: f.id, laneId: f.id.nullable() }),
  ['device_faults', 'f'],
  {
    rtuNumber: sql`d.rtu_number`,
    road: sql`coalesce(l.road_index, f.road)`,
    faultCode: sql`f.code`,
    handledBy: sql`u.real_name`,
  },
  ['can'],
)
const from = sql`device_faults f join devices d on d.id = f.device_id left
  join lanes l on l.id = f.lane_id left join users u on u.id = f.handled_by`

export const faults: Handlers<Contract>['faults'] = async (ctx, input) => {
  found(await q.ownerOf(ctx, input.id))
  const { rows, total } = await fault.page(ctx.db, {
    from,
    input,
    last: sql`f.id`,
    sort: { openedAt: sql`(f.closed_at is null)::int desc, f.opened_at` },
    where: [
      sql`f.device_id = ${input.id}`,
      visible(ctx, 'f.org_id', 'f.device_id'),
      input.open !== undefined &&
        (input.open ? sql`f.closed_at is null` : sql`f.closed_at is not null`),
    ],
  })
  const list = rows.map(({ orgId, laneId, ...row }) => ({
    ...row,
    can: { handle: may(ctx, 'fault:update') && row.closedAt === null },
  }))
  return { list, total }
}

export async function handleFault(ctx: Ctx, { id, remark }: Input<Contract['handleFault']>) {
  const one = found(
    await fault.one(
      ctx.db,
      sql`from ${from} where f.id = ${id} and ${visible(ctx, 'f.org_id', 'f.device_id')}`,
    ),
  )
  const { numAffectedRows } = await sql`update device_faults
      set closed_at = ${ctx.now}, handled_by = ${ctx.actor.userId}, remark = ${remark}
      where id = ${id} and closed_at is null`.execute(ctx.db)
  if (!numAffectedRows) throw new Refusal(deviceErrors.faultClosed)
  if (one.laneId !== null) await releaseRepairedLanes(ctx, [one.laneId])
  refreshDeviceCounters(ctx, [one.deviceId])
  ctx.audit({
    id,
    name: `${one.rtuNumber} ${codes[one.faultCode] ?? one.faultCode}`,
    before: { detail: one.detail },
    after: { remark },
    orgId: one.orgId,
  })
  for (const topic of ['devices', 'lanes']) ctx.touch(topic, one.orgId)
  return { ok: true as const }
}
