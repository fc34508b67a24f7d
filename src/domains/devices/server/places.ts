import type { App, Ctx } from '../../../server/context.ts'
import { rowsOf } from '../../../server/rows.ts'
import { bySystem } from '../../../server/run.ts'
import { placeName } from '../../../shared/regions.ts'
import { bi } from '../../../shared/text.ts'
import { noteDevice } from '../../machines/server/events.ts'
import { notify } from '../../notices/server/notify.ts'
import { watchersOf } from '../rules.ts'

type Place = { county: string; address: string }
const said = ({ county, address }: Place): string =>
  [placeName(county, ' '), address].filter(Boolean).join(' ')

/**
 * The timeline keeps both addresses; a drug machine's way is told to those who watch over it, in a
 * transaction that may reach them.
 */
export async function noteMove(
  ctx: Ctx,
  before: Place & { id: number; orgId: number; kind: string },
  after: Place & { kind: string },
): Promise<void> {
  if (before.county === after.county && before.address === after.address) return
  await noteDevice(ctx, [
    {
      deviceId: before.id,
      orgId: before.orgId,
      kind: 'PLACE_CHANGED',
      data: { oldAddress: said(before), newAddress: said(after) },
    },
  ])
  if (before.kind !== 'DRUG' && after.kind !== 'DRUG') return
  await ctx.db
    .insertInto('device_moves')
    .values({
      org_id: before.orgId,
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
  deviceId: number
  from: Place
  to: Place
  rtuNumber: string
  nickname: string
  kind: string
  orgName: string
}
type Watcher = { id: number; region: string }

/**
 * Tells the drug regulators of the region a machine left and of the one it stands in; at most 50
 * moves a turn.
 */
export const tellMoves = (app: App): Promise<number> =>
  bySystem(app, async (ctx) => {
    const moves = await rowsOf<Move>(
      ctx.db,
    )`update device_moves m set told_at = ${ctx.now} from devices d
      join organisations o on o.id = d.org_id
      where d.id = m.device_id and m.id in (select id from device_moves where told_at is null
        order by id limit 50 for update skip locked)
      returning m.device_id as "deviceId",
        jsonb_build_object('county', m.from_county, 'address', m.from_address) as "from",
        jsonb_build_object('county', m.to_county, 'address', m.to_address) as "to",
        d.rtu_number as "rtuNumber", d.nickname, d.kind, o.name as "orgName"`
    if (moves.length === 0) return 0
    const regulators = await rowsOf<Watcher>(
      ctx.db,
    )`select u.id, u.region_code as region from users u
      where u.status = 'ENABLED' and u.deleted_at is null and u.region_code <> ''
        and exists (select from user_roles ur join roles r on r.id = ur.role_id
          join role_permissions p on p.role_id = r.id
          where ur.user_id = u.id and r.status = 'ENABLED' and r.data_scope = 'REGION_DRUGS'
            and p.permission_code = 'device:read')`
    for (const move of moves) await tell(ctx, move, regulators)
    return moves.length
  })

export const registerDeviceJobs = async (app: App) =>
  app.jobs.every('drug-machine-moves', 10_000, () => tellMoves(app))

async function tell(ctx: Ctx, move: Move, regulators: readonly Watcher[]): Promise<void> {
  const [from, to] = [said(move.from), said(move.to)]
  const name = `${move.nickname} (${move.orgName})`
  const note = {
    kind: 'SYSTEM',
    title: bi(`售药机 ${move.rtuNumber} 地址变更`, `Drug machine ${move.rtuNumber} has moved`),
    body: bi(`${name}：由「${from}」变更为「${to}」`, `${name}: from “${from}” to “${to}”`),
  } as const
  const { here, left } = watchersOf(regulators, move.from.county, move.to.county)
  // whoever watches over the old region only does not see the machine any more
  const opens = move.kind === 'DRUG' ? { link: `/device/device-list?detail=${move.deviceId}` } : {}
  if (here.length) await notify(ctx, { ...note, ...opens, userIds: here })
  if (left.length) await notify(ctx, { ...note, userIds: left })
}
