import { sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import type { Planogram } from '../contract.ts'
import type { Doc } from '../planogram.ts'
import type { Device, ShownLane } from './queries.ts'

type Shadow = { wanted: number; applied: number; state: string; reason: string }

/** How far the machine is with its lanes, and by road the price it still charges where that is another one. */
export async function syncOf(ctx: Ctx, device: Device, lanes: readonly ShownLane[]): Promise<{ sync: Planogram['sync']; confirmed: Map<number, number> }> {
  const { rows } = await sql<Shadow>`select s.wanted, s.applied, s.state, s.reason from device_shadows s
    where s.device_id = ${device.id} and s.kind = 'PLANOGRAM' and s.wanted > 0 and ${visible(ctx, 's.org_id', 's.device_id')}`.execute(ctx.db)
  const shadow = rows[0]
  if (!shadow) return { sync: null, confirmed: new Map() }
  const { wanted, applied, reason } = shadow
  const state = shadow.state as NonNullable<Planogram['sync']>['state']
  return {
    sync: { wanted, applied: applied || null, state, reason: state === 'REFUSED' ? reason : '' },
    confirmed: state === 'APPLIED' || applied === 0 ? new Map() : await oldPrices(ctx, device.id, applied, lanes),
  }
}

async function oldPrices(ctx: Ctx, deviceId: number, version: number, lanes: readonly ShownLane[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ doc: Doc }>`select v.doc from planogram_versions v where v.device_id = ${deviceId} and v.version = ${version}
    and ${visible(ctx, 'v.org_id', 'v.device_id')}`.execute(ctx.db)
  const old = new Map(rows[0]?.doc.lanes.map((lane) => [lane.road, lane]))
  return new Map(
    lanes.flatMap((lane): [number, number][] => {
      const was = old.get(lane.roadIndex)
      return was?.price && lane.price !== null && was.productId === lane.productId && was.price !== lane.price ? [[lane.roadIndex, was.price]] : []
    }),
  )
}
