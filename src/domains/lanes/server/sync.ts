import { type Ctx, visible } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import type { Planogram } from '../contract.ts'
import type { Device, ShownLane } from './queries.ts'
import { keptDoc } from './versions.ts'

type Shadow = { wanted: number; applied: number; state: NonNullable<Planogram['sync']>['state']; reason: string }

/** How far the machine is with its lanes, and by road the price it still charges where that is another one. */
export async function syncOf(ctx: Ctx, device: Device, lanes: readonly ShownLane[]): Promise<{ sync: Planogram['sync']; confirmed: Map<number, number> }> {
  const shadow = await rowOf<Shadow>(ctx.db)`select s.wanted, s.applied, s.state, s.reason from device_shadows s
      where s.device_id = ${device.id} and s.kind = 'PLANOGRAM' and s.wanted > 0 and ${visible(ctx, 's.org_id', 's.device_id')}`
  if (!shadow) return { sync: null, confirmed: new Map() }
  const { wanted, applied, state, reason } = shadow
  return {
    sync: { wanted, applied: applied || null, state, reason: state === 'REFUSED' ? reason : '' },
    confirmed: state === 'APPLIED' || applied === 0 ? new Map() : await oldPrices(ctx, device.id, applied, lanes),
  }
}

async function oldPrices(ctx: Ctx, deviceId: number, version: number, lanes: readonly ShownLane[]): Promise<Map<number, number>> {
  const old = new Map((await keptDoc(ctx, deviceId, version))?.lanes.map((lane) => [lane.road, lane]))
  return new Map(
    lanes.flatMap((lane): [number, number][] => {
      const was = old.get(lane.roadIndex)
      return was?.price && lane.price !== null && was.productId === lane.productId && was.price !== lane.price ? [[lane.roadIndex, was.price]] : []
    }),
  )
}
