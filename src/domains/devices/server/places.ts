import { sql } from 'kysely'
import type { App, Ctx } from '../../../server/context.ts'
import { bySystem } from '../../../server/run.ts'
import { placeName } from '../../../shared/regions.ts'
import { bi } from '../../../shared/text.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { notify } from '../../notices/server/notify.ts'
import { watchersOf } from '../rules.ts'

type Place = { county: string; address: string }
const said = ({ county, address }: Place): string => [placeName(county, ' '), address].filter(Boolean).join(' ')

/** The timeline keeps both addresses; a drug machine's way is told to those who watch over it, in a transaction that may reach them. */
export async function noteMove(ctx: Ctx, before: Place & { id: number; org_id: number; kind: string }, after: Place & { kind: string }): Promise<void> {
  if (before.county === after.county && before.address === after.address) return
  await noteDevice(ctx, [{ deviceId: before.id, orgId: before.org_id, kind: 'PLACE_CHANGED', data: { oldAddress: said(before), newAddress: said(after) } }])
  if (before.kind !== 'DRUG' && after.kind !== 'DRUG') return
  await ctx.db
    .insertInto('device_moves')
    .values({
      org_id: before.org_id,
      device_id: before.id,
      from_county: before.county,
      from_address: before.address,
      to_county: after.county,
      to_address: after.address,
      moved_by: ctx.actor.userId,
      moved_at: ctx.now,
    })
    .execute()
}

type Move = {
  device_id: number
  from_county: string
  from_address: string
  to_county: string
  to_address: string
  rtu_number: string
  nickname: string
  kind: string
  org_name: string
}

/** Tells the drug regulators of the region a machine left and of the one it stands in; at most 50 moves a turn. */
export const tellMoves = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const { rows } = await sql<Move>`
      update device_moves m set told_at = ${ctx.now} from devices d join organisations o on o.id = d.org_id
      where d.id = m.device_id and m.id in (select id from device_moves where told_at is null order by id limit 50 for update skip locked)
      returning m.device_id, m.from_county, m.from_address, m.to_county, m.to_address, d.rtu_number, d.nickname, d.kind, o.name as org_name`.execute(ctx.db)
    if (rows.length === 0) return 0
    const { rows: regulators } = await sql<{ id: number; region: string }>`
      select u.id, u.region_code as region from users u where u.status = 'ENABLED' and u.deleted_at is null and u.region_code <> ''
        and exists (select from user_roles ur join roles r on r.id = ur.role_id join role_permissions p on p.role_id = r.id
          where ur.user_id = u.id and r.status = 'ENABLED' and r.data_scope = 'REGION_DRUGS' and p.permission_code = 'device:read')`.execute(ctx.db)
    for (const move of rows) await tell(ctx, move, regulators)
    return rows.length
  })

async function tell(ctx: Ctx, move: Move, regulators: readonly { id: number; region: string }[]): Promise<void> {
  const from = said({ county: move.from_county, address: move.from_address })
  const to = said({ county: move.to_county, address: move.to_address })
  const name = `${move.nickname} (${move.org_name})`
  const note = {
    kind: 'SYSTEM',
    title: bi(`售药机 ${move.rtu_number} 地址变更`, `Drug machine ${move.rtu_number} has moved`),
    body: bi(`${name}：由「${from}」变更为「${to}」`, `${name}: from “${from}” to “${to}”`),
  } as const
  const { here, left } = watchersOf(regulators, move.from_county, move.to_county)
  // whoever watches over the old region only does not see the machine any more
  const opens = move.kind === 'DRUG' ? { link: `/device/device-list?detail=${move.device_id}` } : {}
  if (here.length) await notify(ctx, { ...note, ...opens, userIds: here })
  if (left.length) await notify(ctx, { ...note, userIds: left })
}
