import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import type { ControlOut, RecordControls } from '../../machines/server/controls.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { type CommandState, type CommandType, commandSeconds, heard, resend } from '../rules.ts'

/**
 * The gateway's two doors for commands of people: which leave now, and what machines say about
 * them. The clock's end stands beside.
 */

/**
 * Marks what leaves now for connected machines and returns it; an unanswered one leaves again with
 * the same id.
 */
export async function takeControls(app: App, deviceIds: readonly number[]): Promise<ControlOut[]> {
  if (!deviceIds.length) return []
  return bySystem(app, async (ctx) => {
    const out = await rowsOf<ControlOut>(ctx.db)`
      with due as (
        select cmd_id from device_commands where device_id = any(${[...deviceIds]}::bigint[])
          and state in ('WAITING','SENT') and expire_at > ${ctx.now}
          and (state = 'WAITING' or (sent_at <= ${ago(ctx, resend.afterSeconds)}
            and sends < ${resend.most})) order by cmd_id for update skip locked)
      update device_commands c set state = 'SENT', sends = c.sends + 1, sent_at = ${ctx.now}
      from due where c.cmd_id = due.cmd_id
      returning c.device_id as "deviceId", c.cmd_id as "cmdId", c.type, c.issued_at as "issuedAt",
        c.expire_at as "expireAt"`
    if (out.length) ctx.touch('commands')
    return out
  })
}
const ago = (ctx: Ctx, seconds: number) => new Date(ctx.now.getTime() - seconds * 1000)

type Row = {
  cmdId: string
  deviceId: number
  orgId: number
  type: CommandType
  state: CommandState
  reason: string
  issuedAt: Date
}
const columns = sql`cmd_id as "cmdId", device_id as "deviceId", org_id as "orgId", type, state,
  reason, issued_at as "issuedAt"`

/**
 * Inside the transaction that stored the messages. A machine may only speak about its own commands.
 */
export const recordControls: RecordControls = async (ctx, facts) => {
  if (!facts.length) return { own: new Set() }
  const ids = facts.map(({ cmdId }) => cmdId)
  const rows = await rowsOf<Row>(
    ctx.db,
  )`select ${columns} from device_commands where cmd_id = any(${ids}::uuid[]) order by cmd_id
    for update`
  const commands = new Map(rows.map((row) => [row.cmdId, row]))
  const changed = new Set<Row>()
  for (const fact of facts) {
    const command = commands.get(fact.cmdId)
    const next = command?.deviceId === fact.deviceId ? heard(command.state, fact.word) : null
    if (command && next) changed.add(Object.assign(command, next))
  }
  await write(ctx, [...changed])
  return { own: new Set(rows.map((row) => `${row.deviceId}/${row.cmdId}`)) }
}

/** What the clock ends: never sent, never answered, or accepted without a result. */
export async function sweepControls(app: App): Promise<number> {
  return bySystem(app, async (ctx) => {
    const waits = Object.entries(commandSeconds)
    const rows = await rowsOf<Row>(ctx.db)`
      select ${columns} from device_commands c
      join unnest(${waits.map(([type]) => type)}::text[],
        ${waits.map(([, wait]) => wait.finish)}::int[]) as w(kind, finish) on w.kind = c.type
      where (state in ('WAITING','SENT') and expire_at <= ${ctx.now})
        or (state = 'ACKED' and acked_at <= ${ctx.now}::timestamptz -
          make_interval(secs => w.finish))
      order by cmd_id limit 200 for update of c skip locked`
    const why: Partial<Record<CommandState, string>> = {
      WAITING: 'NOT_SENT',
      SENT: 'NO_ANSWER',
      ACKED: 'NO_RESULT',
    }
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
  const json = JSON.stringify(
    rows.map(({ cmdId, state, reason }) => ({
      cmdId,
      state,
      reason: reason.slice(0, 200),
      ended: ended.includes(state),
    })),
  )
  await sql`update device_commands c set state = x.state, reason = x.reason, finished_at = case
    when x.ended then ${ctx.now}::timestamptz end,
      acked_at = case when x.state = 'ACKED' then ${ctx.now}::timestamptz else c.acked_at end
    from jsonb_to_recordset(${json}::jsonb) as x("cmdId" uuid, state text, reason text,
      ended boolean) where c.cmd_id = x."cmdId"`.execute(ctx.db)
  await unlock(
    ctx,
    rows.filter((row) => row.type === 'UNLOCK' && row.state === 'DONE'),
  )
  const over = rows.filter(({ state }) => ended.includes(state))
  const told = ({ cmdId, type, state, reason }: Row) => ({
    cmdId,
    type,
    state,
    ...(reason ? { reason } : {}),
  })
  const events = over.map((row) => ({
    deviceId: row.deviceId,
    orgId: row.orgId,
    kind: 'COMMAND_END',
    data: told(row),
  }))
  await noteDevice(ctx, events)
  ctx.touch('commands', rows)
}

/** A machine sells again once it says so, unless somebody locked it later. */
async function unlock(ctx: Ctx, rows: readonly Row[]): Promise<void> {
  if (!rows.length) return
  const json = JSON.stringify(rows.map(({ deviceId, issuedAt }) => ({ deviceId, issuedAt })))
  await sql`update devices d set locked = false
    from jsonb_to_recordset(${json}::jsonb) as x("deviceId" bigint, "issuedAt" timestamptz)
    where d.id = x."deviceId" and d.locked
      and not exists (select from device_commands c
        where c.device_id = d.id and c.type = 'LOCK' and c.issued_at > x."issuedAt")`.execute(
    ctx.db,
  )
  ctx.touch('devices', rows)
}
