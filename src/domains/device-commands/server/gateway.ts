import { sql } from 'kysely'
import { type App, type Ctx, iso } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import type { ControlOut, RecordControls } from '../../machines/server/controls.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type CommandState, type CommandType, commandSeconds, heard, resend } from '../rules.ts'

/** The gateway's two doors for commands of people: which leave now, and what machines say about them. The clock's end stands beside. */

type OutRow = { device_id: number; cmd_id: string; type: CommandType; issued_at: Date; expire_at: Date }

/** Marks what leaves now for connected machines and returns it; an unanswered one leaves again with the same id. */
export async function takeControls(app: App, deviceIds: readonly number[]): Promise<ControlOut[]> {
  if (!deviceIds.length) return []
  return bySystem(app, async (ctx) => {
    const { rows } = await sql<OutRow>`
      with due as (
        select cmd_id from device_commands where device_id = any(${[...deviceIds]}::bigint[]) and state in ('WAITING','SENT') and expire_at > ${ctx.now}
          and (state = 'WAITING' or (sent_at <= ${ago(ctx, resend.afterSeconds)} and sends < ${resend.most})) order by cmd_id for update skip locked)
      update device_commands c set state = 'SENT', sends = c.sends + 1, sent_at = ${ctx.now} from due where c.cmd_id = due.cmd_id
      returning c.device_id, c.cmd_id, c.type, c.issued_at, c.expire_at`.execute(ctx.db)
    if (rows.length) ctx.touch('commands')
    return rows.map((row) => ({ deviceId: row.device_id, cmdId: row.cmd_id, type: row.type, issuedAt: row.issued_at, expireAt: row.expire_at }))
  })
}
const ago = (ctx: Ctx, seconds: number) => new Date(ctx.now.getTime() - seconds * 1000)

type Row = { cmd_id: string; device_id: number; org_id: number; type: CommandType; state: CommandState; reason: string; issued_at: Date }
const columns = sql`cmd_id, device_id, org_id, type, state, reason, issued_at`

/** Inside the transaction that stored the messages. A machine may only speak about its own commands. */
export const recordControls: RecordControls = async (ctx, facts) => {
  if (!facts.length) return { own: new Set() }
  const { rows } =
    await sql<Row>`select ${columns} from device_commands where cmd_id = any(${facts.map((fact) => fact.cmdId)}::uuid[]) order by cmd_id for update`.execute(
      ctx.db,
    )
  const commands = new Map(rows.map((row) => [row.cmd_id, row]))
  const changed = new Set<Row>()
  for (const fact of facts) {
    const command = commands.get(fact.cmdId)
    const next = command?.device_id === fact.deviceId ? heard(command.state, fact.word) : null
    if (command && next) changed.add(Object.assign(command, next))
  }
  await write(ctx, [...changed])
  return { own: new Set(rows.map((row) => `${row.device_id}/${row.cmd_id}`)) }
}

/** What the clock ends: never sent, never answered, or accepted without a result. */
export async function sweepControls(app: App): Promise<number> {
  return bySystem(app, async (ctx) => {
    const waits = Object.entries(commandSeconds)
    const { rows } = await sql<Row>`
      select ${columns} from device_commands c join unnest(${waits.map(([type]) => type)}::text[], ${waits.map(([, wait]) => wait.finish)}::int[]) as w(kind, finish) on w.kind = c.type
      where (state in ('WAITING','SENT') and expire_at <= ${ctx.now}) or (state = 'ACKED' and acked_at <= ${ctx.now}::timestamptz - make_interval(secs => w.finish))
      order by cmd_id limit 200 for update of c skip locked`.execute(ctx.db)
    const why: Partial<Record<CommandState, string>> = { WAITING: 'NOT_SENT', SENT: 'NO_ANSWER', ACKED: 'NO_RESULT' }
    await write(
      ctx,
      rows.map((row) => ({ ...row, state: 'EXPIRED' as const, reason: why[row.state] ?? '' })),
    )
    return rows.length
  })
}

const ended: readonly CommandState[] = ['DONE', 'FAILED', 'EXPIRED']

async function write(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (!rows.length) return
  const json = JSON.stringify(rows.map((row) => ({ cmd_id: row.cmd_id, state: row.state, reason: row.reason.slice(0, 200), ended: ended.includes(row.state) })))
  await sql`update device_commands c set state = x.state, reason = x.reason, finished_at = case when x.ended then ${ctx.now}::timestamptz end,
      acked_at = case when x.state = 'ACKED' then ${ctx.now}::timestamptz else c.acked_at end
    from jsonb_to_recordset(${json}::jsonb) as x(cmd_id uuid, state text, reason text, ended boolean) where c.cmd_id = x.cmd_id`.execute(ctx.db)
  await unlock(
    ctx,
    rows.filter((row) => row.type === 'UNLOCK' && row.state === 'DONE'),
  )
  await noteDevice(
    ctx,
    rows
      .filter((row) => ended.includes(row.state))
      .map(({ device_id, org_id, cmd_id, type, state, reason }) => ({
        deviceId: device_id,
        orgId: org_id,
        kind: 'COMMAND_END',
        data: { cmdId: cmd_id, type, state, ...(reason ? { reason } : {}) },
      })),
  )
  ctx.touch(
    'commands',
    rows.map((row) => row.org_id),
  )
}

/** A machine sells again once it says so, unless somebody locked it later. */
async function unlock(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (!rows.length) return
  const json = JSON.stringify(rows.map((row) => ({ device_id: row.device_id, issued_at: iso(row.issued_at) })))
  await sql`update devices d set locked = false from jsonb_to_recordset(${json}::jsonb) as x(device_id bigint, issued_at timestamptz)
    where d.id = x.device_id and d.locked
      and not exists (select from device_commands c where c.device_id = d.id and c.type = 'LOCK' and c.issued_at > x.issued_at)`.execute(ctx.db)
  ctx.touch(
    'devices',
    rows.map((row) => row.org_id),
  )
}
