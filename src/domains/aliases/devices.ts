import type { CallOn } from '../../server/bind.ts'
import type { CallInput } from '../../shared/contract.ts'
import { common, Refusal } from '../../shared/errors.ts'
import { deviceTypes, type TypeRow } from '../device-types/contract.ts'
import { type DeviceRow, devices } from '../devices/contract.ts'
import { lanes, type Planogram } from '../lanes/contract.ts'
import { type Alias, idOf, known, merged, pick } from './route.ts'

const listed = (row: DeviceRow) => ({
  ...pick(row, 'id', 'rtuNumber', 'ownedUserName', 'address', 'card', 'createTime'),
  nickyname: row.nickname,
  rtuBoardId: row.boardNo,
  state: pick(row, 'status', 'signal', 'temperature'),
})

const floorsOf = (plan: Planogram) =>
  plan.floors.map((floor) => ({
    ...pick(floor, 'level', 'id', 'name'),
    roads: floor.roads.map((road) =>
      pick(road, 'roadIndex', 'productId', 'roadCapacity', 'productStock', 'productName', 'productImg', 'price', 'retailPrice', 'restriction', 'status'),
    ),
  }))

const typeOf = (row: TypeRow) => pick(row, 'id', 'name', 'img', 'screen', 'refrigeration', 'pattern')

async function typeRow(call: CallOn, id: number): Promise<TypeRow> {
  for (let page = 1; ; page += 1) {
    const { list, total } = await call(deviceTypes.list, { page, pageSize: 200 })
    const row = list.find((type) => type.id === id)
    if (row) return row
    if (page * 200 >= total) throw new Refusal(common.notFound)
  }
}

export const deviceAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/device-list',
    async answer(call, given) {
      const { list, total } = await call(devices.list, { ...known(devices.list, given), ...(given.rtuNumber ? { keyword: String(given.rtuNumber) } : {}) })
      return { list: list.map(listed), total }
    },
  },
  {
    method: 'GET',
    path: '/device-list-detail',
    async answer(call, given) {
      const id = idOf(given)
      const device = await call(devices.detail, { id })
      const plan = await call(lanes.plan, { deviceId: id })
      return {
        ...listed(device),
        ...pick(device, 'country', 'province', 'city', 'county', 'stock', 'free', 'pattern'),
        type: device.typeName,
        userName: device.ownedUserName,
        stores: [],
        floors: floorsOf(plan),
      }
    },
  },
  {
    method: 'GET',
    path: '/device-type-list',
    async answer(call, given) {
      const { list, total } = await call(deviceTypes.list, known(deviceTypes.list, given))
      return { list: list.map(typeOf), total }
    },
  },
  {
    method: 'GET',
    path: '/save-device-type',
    writes: true,
    async answer(call, given) {
      if (!given.id) {
        const fresh = { kind: 'GENERAL', dropSensor: false, ...known(deviceTypes.create, given) }
        return typeOf(await call(deviceTypes.create, fresh as CallInput<typeof deviceTypes.create>))
      }
      const row = await typeRow(call, idOf(given))
      return typeOf(await call(deviceTypes.update, merged(deviceTypes.update, row, { ...given, id: row.id }) as CallInput<typeof deviceTypes.update>))
    },
  },
  { method: 'GET', path: '/remove-device-type', writes: true, answer: (call, given) => call(deviceTypes.remove, { id: idOf(given) }) },
]
