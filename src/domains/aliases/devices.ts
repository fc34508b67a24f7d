import { type Alias, type Given, idOf, known, merged, pick } from '../../server/alias.ts'
import type { CallOn } from '../../server/bind.ts'
import type { CallInput } from '../../shared/contract.ts'
import { common, Refusal } from '../../shared/errors.ts'
import { regionPath, regionsNamed } from '../../shared/regions.ts'
import { deviceTypes, type TypeRow } from '../device-types/contract.ts'
import { type DeviceRow, devices } from '../devices/contract.ts'
import { lanes } from '../lanes/contract.ts'
import { stores } from '../stores/contract.ts'
import { floorsOf } from './lanes.ts'

const listed = (row: DeviceRow) => ({
  ...pick(row, 'id', 'rtuNumber', 'ownedUserName', 'address', 'card', 'createTime'),
  nickyname: row.nickname,
  rtuBoardId: row.boardNo,
  state: pick(row, 'status', 'signal', 'temperature'),
})

const typeOf = (row: TypeRow) =>
  pick(row, 'id', 'name', 'img', 'screen', 'refrigeration', 'pattern')

/**
 * The specification says of a screen that there is one, or which: the size that a type needs may be
 * missing.
 */
function withScreen(given: Given, row?: TypeRow): Given {
  const said = String(given.screen ?? '').trim()
  if (said === '' || said === 'false' || said === '0')
    return said === '0' ? { ...given, screen: 'false' } : given
  const there = said === 'true' || said === '1'
  const size = given.screenSize || (there ? row?.screenSize || '未知尺寸' : said)
  return { ...given, screen: 'true', screenSize: size }
}

async function typeRow(call: CallOn, id: number): Promise<TypeRow> {
  for (let page = 1; ; page += 1) {
    const { list, total } = await call(deviceTypes.list, { page, pageSize: 200 })
    const row = list.find((type) => type.id === id)
    if (row) return row
    if (page * 200 >= total) throw new Refusal(common.notFound)
  }
}

const levels = ['province', 'city', 'county'] as const
/** The sample shows regions by their names. */
const inNames = (county: string) =>
  Object.fromEntries(regionPath(county).map(({ name }, level) => [levels[level], name]))
/** What was read with names may come back with them. */
function inCodes(given: Given): Given {
  const county = regionsNamed(levels.map((level) => String(given[level] ?? '')))[2]
  return county ? { ...given, county: county.code } : given
}

/** The sample's words for fields of the device form. */
const words: Readonly<Record<string, string>> = { nickyname: 'nickname', rtuBoardId: 'boardNo' }
const inOurWords = (given: Given): Given =>
  inCodes(
    Object.fromEntries(Object.entries(given).map(([key, value]) => [words[key] ?? key, value])),
  )
/** An edit may name one field only; versions are read here. */
async function edit(call: CallOn, given: Given) {
  const id = idOf(given)
  const device = await call(devices.detail, { id })
  const wanted = {
    ...merged(devices.update, device, inOurWords(given)),
    id,
    version: device.version,
  }
  return listed(await call(devices.update, wanted as CallInput<typeof devices.update>))
}

export const deviceAliases: readonly Alias[] = [
  {
    method: 'GET',
    path: '/device-list',
    async answer(call, given) {
      const { list, total } = await call(devices.list, {
        ...known(devices.list, given),
        ...(given.rtuNumber ? { keyword: String(given.rtuNumber) } : {}),
      })
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
        ...pick(device, 'country', 'stock', 'free', 'pattern'),
        ...inNames(device.county),
        type: device.typeName,
        userName: device.ownedUserName,
        // the sample shows the store as a list
        stores: device.storeName ? [{ id: device.storeId, storeName: device.storeName }] : [],
        floors: floorsOf(plan),
      }
    },
  },
  { method: 'GET', path: '/device-edit', writes: true, answer: edit },
  {
    method: 'POST',
    path: '/rtu/save',
    async answer(call, given) {
      if (given.id) return edit(call, given)
      const fresh = {
        kind: 'GENERAL',
        dropSensor: true,
        ...known(devices.create, inOurWords(given)),
      }
      const { id, secret } = await call(devices.create, fresh as CallInput<typeof devices.create>)
      // the only answer that tells the secret of the new machine
      return { ...listed(await call(devices.detail, { id })), secret }
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
        const usual = { kind: 'GENERAL', dropSensor: false, screen: false, refrigeration: false }
        const fresh = { ...usual, ...known(deviceTypes.create, withScreen(given)) }
        return typeOf(await call(deviceTypes.create, fresh as CallInput<typeof deviceTypes.create>))
      }
      const row = await typeRow(call, idOf(given))
      return typeOf(
        await call(
          deviceTypes.update,
          merged(deviceTypes.update, row, { ...withScreen(given, row), id: row.id }) as CallInput<
            typeof deviceTypes.update
          >,
        ),
      )
    },
  },
  {
    method: 'GET',
    path: '/stores-list',
    async answer(call, given) {
      const { list, total } = await call(stores.list, known(stores.list, given))
      return {
        list: list.map(({ storeName, systemId, userName }) => ({
          storeName,
          SystemId: systemId,
          userName,
        })),
        total,
      }
    },
  },
  {
    method: 'GET',
    path: '/remove-device-type',
    writes: true,
    answer: (call, given) => call(deviceTypes.remove, { id: idOf(given) }),
  },
]
