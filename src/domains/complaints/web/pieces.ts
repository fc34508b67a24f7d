import type { OrderDetail } from '../../orders/contract.ts'

export type Piece = OrderDetail['units'][number]

export const laneNo = (road: number): string => String(road).padStart(2, '0')

/**
 * What a complaint is most likely about: on its lane what did not come out, else all of its lane,
 * else whatever did not come out.
 */
export function preselected(
  pieces: readonly Pick<Piece, 'id' | 'road' | 'vendState'>[],
  road: number | null,
): number[] {
  const onLane = pieces.filter((piece) => road !== null && piece.road === road)
  const missing = (some: typeof pieces) => some.filter((piece) => piece.vendState !== 'SUCCESS')
  const found =
    [missing(onLane), onLane, missing(pieces), pieces.length === 1 ? pieces : []].find(
      (some) => some.length > 0,
    ) ?? []
  return found.map((piece) => piece.id)
}
