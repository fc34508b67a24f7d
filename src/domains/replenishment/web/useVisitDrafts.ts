import { useState } from 'react'
import type { CallInput } from '../../../shared/contract.ts'
import type { LaneRow, replenishment, Visit } from '../contract.ts'

export type Item = CallInput<typeof replenishment.saveItems>['items'][number]
export type Drafts = ReadonlyMap<number, Item>
export type Change = Partial<Omit<Item, 'laneId'>>

const kept = (visit: Visit): Drafts =>
  new Map(
    visit.items
      .filter((item) => item.state !== 'POSTED')
      .map((item) => [
        item.laneId,
        {
          laneId: item.laneId,
          countedQty: item.countedQty,
          addedQty: item.addedQty,
          withdrawnQty: item.withdrawnQty,
          withdrawReason: item.withdrawReason,
          batchId: item.batchId,
          codes: item.codes,
          doneAt: new Date().toISOString(),
          ...(item.countedAt ? { countedAt: item.countedAt } : {}),
        },
      ]),
  )

/**
 * What is typed at the lanes of a visit. Each number keeps when it was typed: sales go on
 * meanwhile, and a count is of its own moment.
 */
export function useVisitDrafts(visit: Visit) {
  const [drafts, setDrafts] = useState<Drafts>(() => kept(visit))
  const [dirty, setDirty] = useState(false)
  const changeAll = (changes: readonly (readonly [laneId: number, change: Change])[]) => {
    const at = new Date().toISOString()
    setDirty(true)
    setDrafts((before) => {
      const after = new Map(before)
      for (const [laneId, change] of changes)
        after.set(laneId, {
          ...(before.get(laneId) ?? { laneId }),
          ...change,
          doneAt: at,
          ...(typeof change.countedQty === 'number' ? { countedAt: at } : {}),
        })
      return after
    })
  }
  return {
    drafts,
    dirty,
    kept: () => setDirty(false),
    change: (laneId: number, change: Change) => changeAll([[laneId, change]]),
    changeAll,
  }
}

export const says = (item: Item): boolean =>
  typeof item.countedQty === 'number' || (item.addedQty ?? 0) + (item.withdrawnQty ?? 0) > 0

/** What the drafts come to; differences as they look before they are posted. */
export function sumsOf(drafts: Drafts, lanes: readonly LaneRow[]) {
  const items = [...drafts.values()]
  const stock = new Map(lanes.map((lane) => [lane.id, lane.productStock]))
  const sum = (of: (item: Item) => number) => items.reduce((all, item) => all + of(item), 0)
  return {
    a: sum((item) => item.addedQty ?? 0),
    b: sum((item) => item.withdrawnQty ?? 0),
    c: sum((item) =>
      typeof item.countedQty === 'number' ? item.countedQty - (stock.get(item.laneId) ?? 0) : 0,
    ),
  }
}
