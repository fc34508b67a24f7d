import { type Alias, idOf, known, pick } from '../../server/alias.ts'
import { type LaneRow, replenishment } from '../replenishment/contract.ts'

const laneRow = (row: LaneRow) =>
  pick(
    row,
    'id',
    'rtuNumber',
    'roadIndex',
    'productName',
    'productStock',
    'roadCapacity',
    'warnQty',
  )
const number = (value: unknown) =>
  value === undefined || value === '' || value === null ? undefined : Number(value)

export const stockAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/stock-replenish-list',
    async answer(call, given) {
      const { list, total } = await call(
        replenishment.lanes,
        known(replenishment.lanes, given) as never,
      )
      return { list: list.map(laneRow), total }
    },
  },
  {
    method: 'PUT',
    path: '/stock-replenish-list-item/:id',
    async answer(call, given) {
      const countedQty = number(given.productStock)
      const addedQty = number(given.added)
      const row = await call(replenishment.postLane, {
        laneId: idOf(given),
        ...(countedQty === undefined ? {} : { countedQty }),
        ...(addedQty === undefined ? {} : { addedQty }),
      })
      return laneRow(row)
    },
  },
]
