import { sql } from 'kysely'
import { type Ctx, iso, isoOrNull, visible } from '../../../server/context.ts'
import { selectPage } from '../../../server/lists.ts'
import type { Input } from '../../../shared/contract.ts'
import type { CommandRow, deviceCommands } from '../contract.ts'
import type { CommandState, CommandType } from '../rules.ts'

export type Device = { id: number; orgId: number; rtuNumber: string; nickname: string; lifecycle: string; online: boolean; locked: boolean }

export async function devices(ctx: Ctx, ids: readonly number[]): Promise<Device[]> {
  const { rows } = await sql<Device>`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname, d.lifecycle, d.locked, s.online
    from devices d join device_states s on s.device_id = d.id where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`.execute(
    ctx.db,
  )
  return rows
}

/** Two people who tell one machine the same take turns. */
export const lockDevices = (ctx: Ctx, ids: readonly number[]) =>
  sql`select d.id from devices d where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id for no key update`.execute(
    ctx.db,
  )

export const lockSales = (ctx: Ctx, id: number) => {
  ctx.touch('devices')
  return sql`update devices set locked = true where id = ${id} and not locked`.execute(ctx.db)
}

/** Machines that are busy with a command of this type. */
export async function running(ctx: Ctx, type: CommandType, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`select distinct device_id as id from device_commands
    where device_id = any(${[...ids]}::bigint[]) and type = ${type} and state in ('WAITING','SENT','ACKED') and expire_at > ${ctx.now}`.execute(ctx.db)
  return new Set(rows.map((row) => row.id))
}

export async function addCommands(ctx: Ctx, rows: readonly { device: Device; cmdId: string }[], type: CommandType, expireAt: Date): Promise<void> {
  if (!rows.length) return
  await ctx.db
    .insertInto('device_commands')
    .values(
      rows.map(({ device, cmdId }) => ({
        cmd_id: cmdId,
        org_id: device.orgId,
        device_id: device.id,
        type,
        issued_by: ctx.actor.userId,
        issued_at: ctx.now,
        expire_at: expireAt,
      })),
    )
    .execute()
}

type Row = {
  cmd_id: string
  device_id: number
  rtu_number: string
  type: CommandType
  state: CommandState
  reason: string
  issued_by: string | null
  issued_at: Date
  expire_at: Date
  sent_at: Date | null
  acked_at: Date | null
  finished_at: Date | null
}
const columns = sql`c.cmd_id, c.device_id, d.rtu_number, c.type, c.state, c.reason, u.real_name as issued_by, c.issued_at, c.expire_at, c.sent_at, c.acked_at, c.finished_at`
const from = sql`device_commands c join devices d on d.id = c.device_id left join users u on u.id = c.issued_by`
const shown = (row: Row): CommandRow => ({
  cmdId: row.cmd_id,
  deviceId: row.device_id,
  rtuNumber: row.rtu_number,
  type: row.type,
  state: row.state,
  reason: row.reason,
  issuedBy: row.issued_by ?? '',
  issuedAt: iso(row.issued_at),
  expireAt: iso(row.expire_at),
  sentAt: isoOrNull(row.sent_at),
  ackedAt: isoOrNull(row.acked_at),
  finishedAt: isoOrNull(row.finished_at),
})

export async function commands(ctx: Ctx, cmdIds: readonly string[]): Promise<CommandRow[]> {
  const { rows } = await sql<Row>`select ${columns} from ${from} where c.cmd_id = any(${[...cmdIds]}::uuid[]) and ${visible(ctx, 'c.org_id', 'c.device_id')}
    order by d.rtu_number`.execute(ctx.db)
  return rows.map(shown)
}
export const command = async (ctx: Ctx, cmdId: string): Promise<CommandRow | undefined> => (await commands(ctx, [cmdId]))[0]

export async function commandRows(ctx: Ctx, input: Input<typeof deviceCommands.list>): Promise<{ list: CommandRow[]; total: number }> {
  const { rows, total } = await selectPage<Row>(ctx.db, {
    columns,
    from,
    where: [
      sql`c.device_id = ${input.id}`,
      visible(ctx, 'c.org_id', 'c.device_id'),
      input.type && sql`c.type = ${input.type}`,
      input.state && sql`c.state = ${input.state}`,
    ],
    input,
    last: sql`c.cmd_id`,
    sort: { issuedAt: sql`c.issued_at` },
  })
  return { list: rows.map(shown), total }
}
