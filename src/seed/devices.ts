import { provinceOf } from '../shared/provinces.ts'
import { regionPath } from '../shared/regions.ts'
import { DEVICE_ROWS, type DeviceRow } from './deviceRows.ts'
import { deviceTypes } from './deviceTypes.ts'
import type { DemoDevice, DemoRegion } from './types.ts'

// First character of a drug licence number, by province.
const LICENCE_PREFIX: Readonly<Record<string, string>> = {
  广东: '粤',
  浙江: '浙',
  四川: '川',
  湖北: '鄂',
  北京: '京',
}

function regionsOf(countyCode: string): readonly [DemoRegion, DemoRegion, DemoRegion] {
  const [province, city, county] = regionPath(countyCode).map(({ code, name }) => ({ code, name }))
  if (province === undefined || city === undefined || county === undefined) {
    throw new Error(`unknown county ${countyCode}`)
  }
  return [province, city, county]
}

function licenceNo(countyCode: string, index: number): string {
  const prefix = LICENCE_PREFIX[provinceOf(countyCode)?.name ?? ''] ?? '粤'
  return `${prefix}DB${countyCode.slice(2, 4)}5${String(10023 + index * 37).padStart(5, '0')}`
}

function build(orgKey: string, row: DeviceRow, index: number): DemoDevice {
  const [
    name,
    typeKey,
    countyCode,
    address,
    lng,
    lat,
    site,
    popularity,
    lifecycle = 'OPERATING',
    mode = 'UNATTENDED',
  ] = row
  const type = deviceTypes.find((t) => t.key === typeKey)
  if (type === undefined) throw new Error(`unknown device type ${typeKey}`)
  const [province, city, county] = regionsOf(countyCode)
  const isDrug = type.kind === 'DRUG'
  return {
    rtuNumber: `HD${String(index + 1).padStart(6, '0')}`,
    name,
    typeKey,
    orgKey,
    kind: type.kind,
    province,
    city,
    county,
    address,
    lng,
    lat,
    lifecycle,
    dispensingMode: isDrug ? mode : null,
    licenceNo: isDrug ? licenceNo(countyCode, index) : null,
    licenceAddress: isDrug ? `${city.name}${county.name}${address}` : null,
    site,
    popularity,
  }
}

export const devices: readonly DemoDevice[] = Object.entries(DEVICE_ROWS)
  .flatMap(([orgKey, rows]) => rows.map((row) => ({ orgKey, row })))
  .map(({ orgKey, row }, index) => build(orgKey, row, index))
