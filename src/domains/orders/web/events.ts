import type { OrderDetail } from '../contract.ts'

export type Event = OrderDetail['timeline'][number]

/**
 * The order's events; of one whose events are no longer kept, what its own records still say.
 * Newest first.
 */
export function eventsOf(order: OrderDetail): readonly Event[] {
  if (order.timeline.length > 0) return order.timeline
  const facts: Omit<Event, 'id'>[] = []
  const add = (
    at: string | null | undefined,
    kind: string,
    unitNo: number | null,
    data: Event['data'] = {},
  ) => {
    if (at) facts.push({ at, kind, unitNo, actor: '', data })
  }
  add(order.createTime, 'CREATED', null, { pieces: order.units.length })
  add(order.paidAt, 'PAID', null, { amount: order.actuallyAmount })
  for (const unit of order.units) {
    add(unit.sentAt, 'SENT', unit.unitNo, unit.road === null ? {} : { road: unit.road })
    add(unit.ackedAt, 'ACKED', unit.unitNo)
    add(unit.finishedAt, unit.vendState, unit.unitNo, {
      result: unit.failReason,
      drop: unit.dropConfirmed,
      late: unit.lateSuccess,
    })
    add(unit.refund?.succeededAt, 'REFUNDED', unit.unitNo, { amount: unit.refund?.amount ?? 0 })
  }
  return facts
    .map((fact, index) => ({ ...fact, id: index + 1 }))
    .sort((a, b) => b.at.localeCompare(a.at) || b.id - a.id)
}
