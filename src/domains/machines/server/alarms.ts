import { sql } from 'kysely'
import type { Ctx } from '../../../server/context.ts'
import { bi } from '../../../shared/text.ts'
import { notify } from '../../notices/server/notify.ts'

type Opened = { readonly device_id: number; readonly code: string; readonly level: string }

/** Tells whoever holds alarm:read in the owner's organisation about new errors: one message per machine, and none while he has not read the last. */
export async function tellFaults(ctx: Ctx, opened: readonly Opened[]): Promise<void> {
  const errors = Map.groupBy(
    opened.filter((fault) => fault.level === 'ERROR'),
    (fault) => fault.device_id,
  )
  if (errors.size === 0) return
  const { rows } = await sql<{ id: number; org_id: number; rtu_number: string; nickname: string }>`
    select id, org_id, rtu_number, nickname from devices where id = any(${[...errors.keys()]}::bigint[]) and lifecycle = 'OPERATING' order by id`.execute(
    ctx.db,
  )
  for (const device of rows) {
    const codes = [...new Set((errors.get(device.id) ?? []).map((fault) => fault.code))].join(', ')
    await notify(ctx, {
      permission: 'alarm:read',
      orgId: device.org_id,
      kind: 'DEVICE_ALARM',
      title: bi(`${device.nickname || device.rtu_number} 出现故障`, `${device.nickname || device.rtu_number} has a fault`),
      body: bi(`机器 ${device.rtu_number}：${codes}`, `Machine ${device.rtu_number}: ${codes}`),
      link: `/device/device-list?detail=${device.id}`,
      quietHours: 4,
    })
  }
}
