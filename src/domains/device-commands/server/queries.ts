import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { answerOf } from '../../../server/lists.ts'
import { rowsOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import type { Input } from '../../../shared/contract.ts'
import { CommandRow, type deviceCommands } from '../contract.ts'
import type { CommandType } from '../rules.ts'

export type Device = {
  id: number
  orgId: number
  rtuNumber: string
  nickname: string
  lifecycle: string
  online: boolean
  locked: boolean
}

export const devices = (ctx: Ctx, ids: readonly number[]) =>
  rowsOf<Device>(
    ctx.db,
  )`select d.id, d.org_id as "orgId", d.rtu_number as "rtuNumber", d.nickname, d.lifecycle,
    d.locked, s.online
    from devices d join device_states s on s.device_id = d.id
    where d.id = any(${[...ids]}::bigint[]) and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`

export const lockSales = (ctx: Ctx, id: number) => {
  ctx.touch('devices')
  return sql`update devices set locked = true where id = ${id} and not locked`.execute(ctx.db)
}

/** Machines that are busy with a command of this type. */
export async function running(
  ctx: Ctx,
  type: CommandType,
  ids: readonly number[],
): Promise<Set<number>> {
  const busy = await rowsOf<{ id: number }>(
    ctx.db,
  )`select distinct device_id as id from device_commands
    where device_id = any(${[...ids]}::bigint[]) and type = ${type}
      and state in ('WAITING','SENT','ACKED') and expire_at > ${ctx.now}`
  return new Set(busy.map(({ id }) => id))
}

export async function addCommands(
  ctx: Ctx,
  rows: readonly { device: Device; cmdId: string }[],
  type: CommandType,
  expireAt: Date,
): Promise<void> {
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

const shown = shape(CommandRow, ['device_commands', 'c'], {
  rtuNumber: sql`d.rtu_number`,
  issuedBy: sql`coalesce(u.real_name, '')`,
})
const from = sql`device_commands c join devices d on d.id = c.device_id left
  join users u on u.id = c.issued_by`

export const commands = (ctx: Ctx, cmdIds: readonly string[]) =>
  shown.all(
    ctx.db,
    sql`from ${from} where c.cmd_id = any(${[...cmdIds]}::uuid[])
      and ${visible(ctx, 'c.org_id', 'c.device_id')} order by d.rtu_number`,
  )
export const command = async (ctx: Ctx, cmdId: string): Promise<CommandRow | undefined> =>
  (await commands(ctx, [cmdId]))[0]

export async function commandRows(
  ctx: Ctx,
  input: Input<typeof deviceCommands.list>,
): Promise<{ list: CommandRow[]; total: number; more?: true }> {
  const { rows, ...found } = await shown.page(ctx.db, {
    from,
    where: [
      sql`c.device_id = ${input.id}`,
      visible(ctx, 'c.org_id', 'c.device_id'),
      input.type && sql`c.type = ${input.type}`,
      input.state && sql`c.state = ${input.state}`,
    ],
    input,
    last: sql`c.cmd_id`,
    grows: true,
    sort: { issuedAt: sql`c.issued_at` },
  })
  return answerOf(found, rows)
}
