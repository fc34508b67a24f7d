import { readFileSync } from 'node:fs'
import { provinceOf } from '../shared/provinces.ts'
import { regionPath } from '../shared/regions.ts'
import type {
  DemoCategory,
  DemoDevice,
  DemoDeviceType,
  DemoOrganisation,
  DemoProduct,
  DemoRegion,
  DemoStaff,
  DispensingMode,
} from './types.ts'

// The demo business as plain data: nothing here knows the database. Its rows stand in the table
// files beside this one.

export { planogram } from './planogram.ts'
export { DEMO_DAYS, dailyOrders, rhythm } from './rhythm.ts'
export type * from './types.ts'

/**
 * The rows of a table file under the names of its first line: `numbers` are numbers, an empty cell
 * is null.
 */
function table<Row extends object>(file: string, numbers: readonly (keyof Row)[] = []): Row[] {
  const [head = [], ...lines] = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  const cell = (name: string, text = '') => {
    if (text === '') return null
    return numbers.includes(name as keyof Row) ? Number(text) : text
  }
  return lines.map(
    (cells) => Object.fromEntries(head.map((name, n) => [name, cell(name, cells[n])])) as Row,
  )
}

export const organisations: readonly DemoOrganisation[] = table('organisations.tsv')

/** The first 13 are the demo accounts, one per role. */
export const staff: readonly DemoStaff[] = table('staff.tsv')

export const deviceTypes: readonly DemoDeviceType[] = (
  [
    ['spring40', '弹簧机 40货道', '10.1寸', true, 'spring', true, 'GENERAL', 5, 8],
    ['spring50', '弹簧机 50货道', '21.5寸', true, 'spring', true, 'GENERAL', 5, 10],
    ['spring60', '弹簧机 60货道', '21.5寸', true, 'spring', true, 'GENERAL', 6, 10],
    ['wall24', '壁挂推杆机 24货道', '', false, 'pusher', false, 'GENERAL', 4, 6],
    ['belt36', '履带机 36货道', '15.6寸', true, 'belt', true, 'GENERAL', 6, 6],
    ['lift48', '升降机 48货道', '21.5寸', true, 'lift', true, 'LIFT', 6, 8],
    ['drug60', '售药机 60货道', '32寸', true, 'lift', true, 'DRUG', 6, 10],
    ['flower20', '鲜花机 20格', '32寸', true, 'locker', false, 'FLOWER', 4, 5],
    ['cabinet40', '带屏货柜 40货道', '49寸', true, 'pusher', true, 'CABINET', 5, 8],
  ] as const
).map(([key, name, screenSize, refrigeration, pattern, dropSensor, kind, maxLevels, maxRoads]) => ({
  key,
  name,
  screen: screenSize !== '',
  screenSize,
  refrigeration,
  pattern,
  dropSensor,
  kind,
  maxLevels,
  maxRoads,
}))

export const categories: readonly DemoCategory[] = [
  { key: 'drink', name: '饮料', sort: 10 },
  { key: 'coffee', name: '咖啡奶茶', sort: 20 },
  { key: 'snack', name: '零食', sort: 30 },
  { key: 'bread', name: '面包糕点', sort: 40 },
  { key: 'daily', name: '日用', sort: 50 },
  { key: 'drug', name: '药品', sort: 60 },
  { key: 'flower', name: '鲜花', sort: 70 },
]

type ProductRow = Omit<DemoProduct, 'picture'> & {
  kind: DemoProduct['picture']['kind']
  tint: DemoProduct['picture']['tint']
  motif: DemoProduct['picture']['motif'] | null
}

/** Makers and approval numbers are invented; names and packs are generic. Prices in fen. */
export const products: readonly DemoProduct[] = table<ProductRow>('products.tsv', [
  'costPrice',
  'retailPrice',
  'weight',
  'storeTempMin',
  'storeTempMax',
  'purchaseLimit',
]).map(({ kind, tint, motif, ...row }) => ({
  ...row,
  picture: { kind, tint, ...(motif ? { motif } : {}) },
}))

type DeviceRow = Pick<
  DemoDevice,
  'name' | 'typeKey' | 'orgKey' | 'address' | 'lng' | 'lat' | 'lifecycle' | 'site' | 'popularity'
> & { countyCode: string; dispensingMode: DispensingMode | null }

/**
 * Real streets and districts; the buildings' machines are invented. Coordinates are GCJ-02, none:
 * not placed on the map.
 */
export const devices: readonly DemoDevice[] = table<DeviceRow>('devices.tsv', [
  'lng',
  'lat',
  'popularity',
]).map(({ countyCode, dispensingMode, ...row }, index) => {
  const type = deviceTypes.find(({ key }) => key === row.typeKey)
  if (!type) throw new Error(`unknown device type ${row.typeKey}`)
  const [province, city, county] = regionsOf(countyCode)
  const isDrug = type.kind === 'DRUG'
  return {
    ...row,
    rtuNumber: `HD${String(index + 1).padStart(6, '0')}`,
    kind: type.kind,
    province,
    city,
    county,
    dispensingMode: isDrug ? (dispensingMode ?? 'UNATTENDED') : null,
    licenceNo: isDrug ? licenceNo(countyCode, index) : null,
    licenceAddress: isDrug ? `${city.name}${county.name}${row.address}` : null,
  }
})

function regionsOf(countyCode: string): readonly [DemoRegion, DemoRegion, DemoRegion] {
  const [province, city, county] = regionPath(countyCode).map(({ code, name }) => ({ code, name }))
  if (!province || !city || !county) throw new Error(`unknown county ${countyCode}`)
  return [province, city, county]
}

/** The first character of a drug licence number is its province's. */
function licenceNo(countyCode: string, index: number): string {
  const provinces: Record<string, string> = {
    广东: '粤',
    浙江: '浙',
    四川: '川',
    湖北: '鄂',
    北京: '京',
  }
  const prefix = provinces[provinceOf(countyCode)?.name ?? ''] ?? '粤'
  return `${prefix}DB${countyCode.slice(2, 4)}5${String(10023 + index * 37).padStart(5, '0')}`
}
