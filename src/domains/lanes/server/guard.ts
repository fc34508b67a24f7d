import type { Ctx } from '../../../server/context.ts'
import { canPlace } from '../../drug-guard/rules.ts'
import { type GuardRefusal, noteRefusals } from '../../drug-guard/server/refusals.ts'
import type { Product } from '../rules.ts'
import type { Device } from './queries.ts'

type Placing = { lane: { roadIndex: number }; product: Product }
/** Of lanes that were not written, those that the drug guard refused, as evidence. */
export function noteGuard(
  ctx: Ctx,
  device: Device,
  placings: readonly Placing[],
  act: GuardRefusal['act'],
): void {
  const { id: deviceId, orgId } = device
  const { userId, username: who } = ctx.actor
  noteRefusals(
    ctx,
    placings.map(({ lane, product }) => ({
      ...{ orgId, deviceId, road: lane.roadIndex, productId: product.id, act, userId, who },
      verdict: canPlace(product, device),
    })),
  )
}

/** The same of what a plan left out; which product goes where says `wanted`. */
export const noteSkipped = (
  ctx: Ctx,
  device: Device,
  skipped: readonly { road: number }[],
  wanted: ReadonlyMap<number, number | null>,
  products: ReadonlyMap<number, Product>,
) =>
  noteGuard(
    ctx,
    device,
    skipped.flatMap(({ road }) => {
      const product = products.get(wanted.get(road) ?? 0)
      return product ? [{ lane: { roadIndex: road }, product }] : []
    }),
    'COPY',
  )
