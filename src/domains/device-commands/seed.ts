import { randomUUID } from 'node:crypto'
import type { Db } from '../../server/database.ts'
import { rowsOf } from '../../server/rows.ts'
import { type CommandState, type CommandType, commandSeconds } from './rules.ts'

/** What people told machines in the last days, with every end it can have. */
const told: readonly [type: CommandType, state: CommandState, reason: string, hoursAgo: number][] =
  [
    ['REBOOT', 'DONE', '', 3],
    ['QUERY', 'DONE', '', 5],
    ['LOCK', 'DONE', '', 26],
    ['UNLOCK', 'DONE', '', 25],
    ['DOOR', 'FAILED', 'UNSUPPORTED', 30],
    ['REBOOT', 'EXPIRED', 'NO_ANSWER', 49],
    ['QUERY', 'EXPIRED', 'NO_ANSWER', 53],
    ['REBOOT', 'FAILED', 'BUSY', 75],
  ]

export async function seedDeviceCommands(db: Db, now: Date): Promise<void> {
  const devices = await rowsOf<{
    id: number
    org_id: number
    user_id: number | null
    name: string | null
  }>(db)`
    select d.id, d.org_id, u.id as user_id, u.username as name from devices d left
    join lateral (select id, username from users u where u.org_id = d.org_id order by id limit 1) u
      on true
    where d.lifecycle = 'OPERATING' order by d.id % 5, d.id limit 24`
  const rows = devices.map((device, i) => {
    const [type, state, reason, hours] = told[i % told.length] as (typeof told)[number]
    const issued = now.getTime() - (hours + i / 10) * 3_600_000
    const at = (seconds: number) => new Date(issued + seconds * 1000)
    return {
      device,
      type,
      state,
      reason,
      cmdId: randomUUID(),
      issued: at(0),
      expire: at(commandSeconds[type].accept),
      sent: at(0.4),
      acked: reason === 'NO_ANSWER' ? null : at(0.9),
      finished: at(type === 'REBOOT' ? 95 : 3),
    }
  })
  await db
    .insertInto('device_commands')
    .values(
      rows.map((row) => ({
        cmd_id: row.cmdId,
        org_id: row.device.org_id,
        device_id: row.device.id,
        type: row.type,
        state: row.state,
        reason: row.reason,
        issued_by: row.device.user_id,
        issued_at: row.issued,
        expire_at: row.expire,
        sends: 1,
        sent_at: row.sent,
        acked_at: row.acked,
        finished_at: row.finished,
      })),
    )
    .execute()
  await db
    .insertInto('device_events')
    .values(
      rows.flatMap(({ device, cmdId, type, state, reason, issued, finished }) => [
        {
          org_id: device.org_id,
          created_at: issued,
          device_id: device.id,
          kind: 'COMMAND',
          data: JSON.stringify({ cmdId, type }),
          user_id: device.user_id,
          actor: device.name ?? '',
        },
        {
          org_id: device.org_id,
          created_at: finished,
          device_id: device.id,
          kind: 'COMMAND_END',
          data: JSON.stringify({ cmdId, type, state, ...(reason ? { reason } : {}) }),
          user_id: null,
          actor: '',
        },
      ]),
    )
    .execute()
}
