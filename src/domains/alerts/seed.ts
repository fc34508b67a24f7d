import { sql } from 'kysely'
import type { Db } from '../../server/database.ts'
import { dayMs } from '../../shared/instants.ts'

type SeedIds = { org: ReadonlyMap<string, number>; user: ReadonlyMap<string, number> }
const minute = 60_000

/**
 * Days ago, kind, subject, how long in minutes, what was done about it (empty: it went by itself).
 */
const past = [
  [1, 'OFFLINE', '', 42, ''],
  [1, 'FAULT', 'MOTOR_NOT_MOVE', 190, '已更换电机，试出货正常'],
  [2, 'POWER_FAIL', '', 75, ''],
  [2, 'DOOR_OPEN', '', 18, ''],
  [3, 'TEMPERATURE', '', 34, '压缩机滤网堵塞，已清洗'],
  [3, 'OFFLINE', '', 260, '现场重启路由器'],
  [4, 'FAULT', 'SENSOR_FAULT', 55, '已擦拭传感器'],
  [5, 'SECOND_CONNECTION', '', 31, ''],
  [6, 'OFFLINE', '', 25, ''],
] as const
const levels: Readonly<Record<string, 'WARN' | 'ERROR'>> = {
  FAULT: 'ERROR',
  TEMPERATURE: 'ERROR',
  SECOND_CONNECTION: 'ERROR',
  AREA_OFFLINE: 'ERROR',
}

/**
 * What was wrong in the last days at two operators, a county that fell at once, their channels and
 * a rule; what is wrong now the first sweep finds.
 */
export async function seedAlerts(db: Db, ids: SeedIds, now: Date): Promise<void> {
  for (const [org, user, name] of [
    ['op-xiaoyuan', 'operator', '运营值班'],
    ['op-xianda', 'zhoumin', '周敏'],
  ] as const) {
    const orgId = ids.org.get(org) as number
    const devices = await db
      .selectFrom('devices')
      .select(['id', 'county'])
      .where('org_id', '=', orgId)
      .where('lifecycle', '=', 'OPERATING')
      .orderBy('id')
      .execute()
    if (devices.length === 0) continue
    const by = ids.user.get(user) ?? null
    const alerts = past.map(([days, kind, subject, minutes, remark], i) => {
      const opened = new Date(now.getTime() - days * dayMs - i * 47 * minute)
      const later = (n: number) => new Date(opened.getTime() + n * minute)
      const facts = { TEMPERATURE: { detail: '11.4 °C (2–8)' }, FAULT: { roads: [3 + i] } }
      const closed = { closed_by: by, closed_name: name, close_remark: remark }
      const acked = { acked_by: by, acked_name: name, acked_at: later(6) }
      return {
        org_id: orgId,
        device_id: devices[(i * 5) % devices.length]?.id as number,
        kind,
        subject,
        level: levels[kind] ?? 'WARN',
        state: 'CLOSED' as const,
        data: JSON.stringify(kind in facts ? facts[kind as keyof typeof facts] : {}),
        times: i % 4 === 0 ? 3 : 1,
        since: later(-10),
        opened_at: opened,
        created_at: opened,
        closed_at: later(minutes),
        close_reason: remark ? ('HANDLED' as const) : ('RECOVERED' as const),
        ...(remark ? { ...closed, ...acked } : {}),
      }
    })
    await db.insertInto('alerts').values(alerts).execute()
    await seedArea(db, orgId, devices, new Date(now.getTime() - 4.2 * dayMs))
    await seedChannels(db, orgId, now)
  }
}

/**
 * The county with most machines lost its network for half an hour; where no county has five, it was
 * the carrier.
 */
async function seedArea(
  db: Db,
  orgId: number,
  devices: readonly { id: number; county: string }[],
  at: Date,
): Promise<void> {
  const [county, near] = [...Map.groupBy(devices, (device) => device.county)].sort(
    (a, b) => b[1].length - a[1].length,
  )[0] ?? ['', []]
  const [kind, subject, fallen] =
    near.length < 5
      ? (['CARRIER_OFFLINE', 'CMCC', devices] as const)
      : (['AREA_OFFLINE', county, near] as const)
  const closed = new Date(at.getTime() + 31 * minute)
  const { id } = await db
    .insertInto('alerts')
    .values({
      org_id: orgId,
      kind,
      subject,
      level: 'ERROR',
      state: 'CLOSED',
      data: '{}',
      since: at,
      opened_at: new Date(at.getTime() + 3 * minute),
      created_at: new Date(at.getTime() + 3 * minute),
      closed_at: closed,
      close_reason: 'RECOVERED',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('alert_members')
    .values(
      fallen.slice(0, 12).map((device, i) => ({
        alert_id: id,
        device_id: device.id,
        org_id: orgId,
        since: new Date(at.getTime() + i * 2500),
        cause: 'LAST_WILL',
        back_at: new Date(closed.getTime() - i * 4000),
      })),
    )
    .execute()
}

/** Switched off: a demo calls nobody. */
async function seedChannels(db: Db, orgId: number, now: Date): Promise<void> {
  const off = { org_id: orgId, enabled: false, created_at: now }
  const url = 'https://hooks.example.com/duty'
  const recipients = sql<string[]>`array['ops@example.com', 'duty@example.com']`
  const quiet = { quiet_from: '22:00', quiet_to: '07:00' }
  await db
    .insertInto('alert_channels')
    .values([
      { ...off, type: 'WEBHOOK', name: '值班群机器人', url },
      { ...off, type: 'EMAIL', name: '运维邮箱', recipients, ...quiet },
    ])
    .execute()
  const asked = { org_id: orgId, asked_at: now, state: 'SENT' as const }
  await db
    .insertInto('alert_recipients')
    .values([
      { ...asked, address: 'ops@example.com', confirmed_at: now },
      { ...asked, address: 'duty@example.com' },
    ])
    .execute()
  await db
    .insertInto('alert_rules')
    .values({ org_id: orgId, kind: 'DOOR_OPEN', enabled: true, threshold: 15, updated_at: now })
    .execute()
}
