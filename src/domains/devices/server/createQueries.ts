import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import type { kinds } from '../contract.ts'
import type { BusinessWindow } from '../hours.ts'
import { secretColumns } from './secret.ts'

/** Which of the numbers exist anywhere on the platform; needs the system scope. */
export async function takenNumbers(ctx: Ctx, numbers: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ rtu_number: string }>`select rtu_number from devices where rtu_number = any(${numbers})`.execute(ctx.db)
  return new Set(rows.map((row) => row.rtu_number))
}

/** Whether one of the boards is somebody's whom the actor does not see; needs the system scope. Those above hand theirs down by binding or a code. */
export async function isForeignBoard(ctx: Ctx, numbers: readonly string[]): Promise<boolean> {
  const { rows } = await sql`select 1 from main_boards b where b.board_no = any(${[...numbers]}::text[]) and not ${visible(ctx, 'b.org_id')} limit 1`.execute(
    ctx.db,
  )
  return rows.length > 0
}

/** Batches of one prefix take turns, so that a preview and its insert see the same numbers. */
export const lockPrefix = (ctx: Ctx, start: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`devices ${start.replace(/\d+$/, '')}`}, 0))`.execute(ctx.db)

export type NewDevice = {
  rtuNumber: string
  nickname: string
  orgId: number
  typeId: number
  boardNo: string | null
  card: string | null
  province: string
  city: string
  county: string
  address: string
  lng: number | null
  lat: number | null
  kind: (typeof kinds)[number]
  dispensingMode: string | null
  licenceNo: string
  licenceAddress: string
  dropSensor: boolean
  autoRefund: boolean
  businessHours: readonly BusinessWindow[]
  onlineMall: boolean
  remark: string
  secret: string
}
export async function addDevices(ctx: Ctx, rows: readonly NewDevice[]): Promise<{ id: number; rtu_number: string }[]> {
  const added = await ctx.db
    .insertInto('devices')
    .values(
      rows.map((d) => ({
        org_id: d.orgId,
        rtu_number: d.rtuNumber,
        nickname: d.nickname,
        type_id: d.typeId,
        board_no: d.boardNo,
        card: d.card,
        province: d.province,
        city: d.city,
        county: d.county,
        address: d.address,
        lng: d.lng,
        lat: d.lat,
        kind: d.kind,
        lifecycle: 'STOCK' as const,
        dispensing_mode: d.dispensingMode as 'MEDICAL' | null,
        licence_no: d.licenceNo,
        licence_address: d.licenceAddress,
        drop_sensor: d.dropSensor,
        auto_refund: d.autoRefund,
        business_hours: JSON.stringify(d.businessHours),
        online_mall: d.onlineMall,
        remark: d.remark,
        ...secretColumns(d.secret),
        created_at: ctx.now,
      })),
    )
    .returning(['id', 'rtu_number', 'org_id'])
    .execute()
  await ctx.db
    .insertInto('device_states')
    .values(added.map((d) => ({ device_id: d.id, org_id: d.org_id })))
    .execute()
  return added
}

/** Someone limited to single machines sees what he set up. */
export async function assignTo(ctx: Ctx, userId: number, orgId: number, deviceIds: readonly number[]): Promise<void> {
  await ctx.db
    .insertInto('device_assignments')
    .values(deviceIds.map((id) => ({ org_id: orgId, device_id: id, user_id: userId, kind: 'REPAIRER' as const, assigned_by: userId, from_at: ctx.now })))
    .execute()
}
