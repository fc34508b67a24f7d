import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import { type Ctx, found, iso, isoOrNull, may, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input, Output } from '../../../shared/contract.ts'
import { Refusal } from '../../../shared/errors.ts'
import { refreshDeviceCounters } from '../../lanes/server/counters.ts'
import { releaseRepairedLanes } from '../../lanes/server/repaired.ts'
import { deviceErrors, type devices } from '../contract.ts'
import * as q from './queries.ts'

type Contract = typeof devices

type Fault = {
  id: number
  org_id: number
  device_id: number
  lane_id: number | null
  rtu_number: string
  road_index: number | null
  code: string
  level: 'WARN' | 'ERROR'
  detail: string
  opened_at: Date
  closed_at: Date | null
  handled_by: string | null
  remark: string
}
const faultColumns = sql`f.id, f.org_id, f.device_id, f.lane_id, d.rtu_number, coalesce(l.road_index, f.road) as road_index, f.code, f.level, f.detail, f.opened_at, f.closed_at, u.real_name as handled_by, f.remark`
const faultFrom = sql`device_faults f join devices d on d.id = f.device_id left join lanes l on l.id = f.lane_id left join users u on u.id = f.handled_by`
const faultRows = (ctx: Ctx, input: Input<typeof devices.faults>) =>
  selectPage<Fault>(ctx.db, {
    columns: faultColumns,
    from: faultFrom,
    input,
    last: sql`f.id`,
    sort: { openedAt: sql`(f.closed_at is null)::int desc, f.opened_at` },
    where: [
      sql`f.device_id = ${input.id}`,
      visible(ctx, 'f.org_id', 'f.device_id'),
      input.open !== undefined && (input.open ? sql`f.closed_at is null` : sql`f.closed_at is not null`),
    ],
  })
async function faultRow(ctx: Ctx, id: number): Promise<Fault | undefined> {
  const { rows } = await sql<Fault>`select ${faultColumns} from ${faultFrom} where f.id = ${id} and ${visible(ctx, 'f.org_id', 'f.device_id')}`.execute(ctx.db)
  return rows[0]
}
async function closeFault(ctx: Ctx, id: number, remark: string): Promise<boolean> {
  const changed = await ctx.db
    .updateTable('device_faults')
    .set({ closed_at: ctx.now, handled_by: ctx.actor.userId, remark })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n
}

export const faults: Handlers<Contract>['faults'] = async (ctx, input) => {
  found(await q.detailRow(ctx, input.id))
  const { rows, total } = await faultRows(ctx, input)
  type Row = Output<Contract['faults']>['list'][number]
  return {
    total,
    list: rows.map(
      (f): Row => ({
        id: f.id,
        deviceId: f.device_id,
        rtuNumber: f.rtu_number,
        road: f.road_index,
        faultCode: f.code,
        level: f.level,
        detail: f.detail,
        openedAt: iso(f.opened_at),
        closedAt: isoOrNull(f.closed_at),
        handledBy: f.handled_by,
        remark: f.remark,
        can: { handle: may(ctx, 'fault:update') && f.closed_at === null },
      }),
    ),
  }
}

export async function handleFault(ctx: Ctx, input: Input<Contract['handleFault']>) {
  const fault = found(await faultRow(ctx, input.id))
  if (!(await closeFault(ctx, fault.id, input.remark))) throw new Refusal(deviceErrors.faultClosed)
  if (fault.lane_id !== null) await releaseRepairedLanes(ctx, [fault.lane_id])
  refreshDeviceCounters(ctx, [fault.device_id])
  ctx.audit({ id: fault.id, name: `${fault.rtu_number} ${fault.code}`, before: { detail: fault.detail }, after: { remark: input.remark }, orgId: fault.org_id })
  for (const topic of ['devices', 'lanes']) ctx.touch(topic, fault.org_id)
  return { ok: true as const }
}
