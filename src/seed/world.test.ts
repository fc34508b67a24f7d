import { describe, expect, test } from 'vitest'
import { regionName, regionPath } from '../shared/regions.ts'
import { productSvg, renderPng } from './pictures.ts'
import {
  categories,
  DEMO_DAYS,
  type DemoDevice,
  dailyOrders,
  devices,
  deviceTypes,
  organisations,
  planogram,
  products,
  rhythm,
  type Site,
  staff,
} from './world.ts'

// City centres, longitude and latitude.
const CENTRES: Readonly<Record<string, readonly [number, number]>> = {
  '440300': [114.058, 22.543],
  '440100': [113.264, 23.129],
  '441900': [113.752, 23.02],
  '440600': [113.122, 23.022],
  '350200': [118.089, 24.48],
  '330100': [120.155, 30.274],
  '320500': [120.585, 31.299],
  '310100': [121.474, 31.23],
  '510100': [104.066, 30.573],
  '420100': [114.305, 30.593],
  '110100': [116.407, 39.904],
  '610100': [108.94, 34.341],
}

const REACH_KM = 60

function kilometres(lng: number, lat: number, [toLng, toLat]: readonly [number, number]): number {
  const x = (lng - toLng) * 111.32 * Math.cos((lat * Math.PI) / 180)
  return Math.hypot(x, (lat - toLat) * 110.57)
}

function validEan(barcode: string): boolean {
  const sum = [...barcode].reduce(
    (total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3),
    0,
  )
  return /^69\d{11}$/.test(barcode) && sum % 10 === 0
}

function floorsOf(device: DemoDevice): ReturnType<typeof planogram> {
  const type = deviceTypes.find((t) => t.key === device.typeKey)
  if (type === undefined) throw new Error(device.typeKey)
  return planogram(device, type, products)
}

const unique = (values: readonly string[]): number => new Set(values).size

describe('totals', () => {
  test('are those of the sample server', () => {
    expect(devices).toHaveLength(112)
    expect(products).toHaveLength(45)
    expect(staff).toHaveLength(45)
    expect(organisations.filter((o) => o.kind === 'AGENT')).toHaveLength(3)
    expect(organisations.filter((o) => o.kind === 'OPERATOR')).toHaveLength(6)
    expect(products.filter((p) => p.drugClass !== 'NONE')).toHaveLength(12)
    expect(products.filter((p) => p.drugClass === 'OTC_A')).toHaveLength(2)
    expect(products.filter((p) => p.drugClass === 'RX')).toHaveLength(1)
    expect(devices.filter((d) => d.lng === null)).toHaveLength(3)
  })
})

describe('organisations and staff', () => {
  const keys = new Set(organisations.map((o) => o.key))

  test('hang together', () => {
    expect(keys.size).toBe(organisations.length)
    for (const o of organisations) {
      expect(o.parentKey === null).toBe(o.kind === 'PLATFORM')
      expect(o.parentKey === null || keys.has(o.parentKey)).toBe(true)
      expect(regionName(o.regionCode)).toBeDefined()
      expect(o.contactPhone).toMatch(/^1[3-9]\d{9}$/)
    }
  })

  test('users have an organisation, a phone and a name of their own', () => {
    expect(unique(staff.map((s) => s.username))).toBe(45)
    expect(unique(staff.map((s) => s.phone))).toBe(45)
    expect(unique(staff.map((s) => s.realName))).toBe(45)
    for (const s of staff) {
      expect(keys.has(s.orgKey)).toBe(true)
      expect(s.phone).toMatch(/^1[3-9]\d{9}$/)
      expect(s.role === 'ROLE_DRUG_REGULATOR').toBe(s.regionCode !== null)
    }
    expect(unique(staff.slice(0, 13).map((s) => s.role))).toBe(13)
    expect(unique(staff.map((s) => s.role))).toBe(13)
  })
})

describe('products', () => {
  test('have valid codes and prices', () => {
    expect(unique(products.map((p) => p.barcode))).toBe(45)
    expect(unique(products.map((p) => p.key))).toBe(45)
    for (const p of products) {
      expect(validEan(p.barcode), p.barcode).toBe(true)
      expect(p.costPrice).toBeGreaterThan(0)
      expect(p.retailPrice).toBeGreaterThanOrEqual(p.costPrice)
      expect(categories.some((c) => c.key === p.categoryKey)).toBe(true)
    }
  })

  test('drugs carry what the law asks for', () => {
    for (const p of products) {
      if (p.drugClass === 'NONE') continue
      expect(p.approvalNo).toMatch(/^国药准字[HZSJBTF][CJ]?\d{8}$/)
      expect(p.dosageForm).not.toBeNull()
      expect(Number(p.storeTempMin)).toBeLessThanOrEqual(Number(p.storeTempMax))
    }
  })

  test('have pictures that differ', async () => {
    const drawn = products.map((p) => {
      const { kind, tint, motif } = p.picture
      const mark = p.drugClass === 'OTC_A' || p.drugClass === 'OTC_B' ? { mark: p.drugClass } : {}
      return productSvg(kind, tint, { ...(motif === undefined ? {} : { motif }), ...mark })
    })
    expect(unique(drawn)).toBe(45)
    const png = await renderPng(drawn[0] ?? '')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
  })
})

describe('devices', () => {
  test('stand where their region says', () => {
    expect(unique(devices.map((d) => d.rtuNumber))).toBe(112)
    for (const d of devices) {
      expect(regionPath(d.county.code).map((r) => r.code)).toEqual([
        d.province.code,
        d.city.code,
        d.county.code,
      ])
      expect(regionName(d.county.code)).toBe(d.county.name)
      expect((d.lng === null) === (d.lat === null)).toBe(true)
      const centre = CENTRES[d.city.code]
      if (centre === undefined) throw new Error(d.city.name)
      if (d.lng === null || d.lat === null) continue
      expect(kilometres(d.lng, d.lat, centre), d.name).toBeLessThan(REACH_KM)
    }
  })

  test('cover every kind and state, drug machines with a licence', () => {
    expect(unique(devices.map((d) => d.kind))).toBe(5)
    expect(unique(devices.map((d) => d.lifecycle))).toBe(5)
    expect(unique(devices.flatMap((d) => d.dispensingMode ?? []))).toBe(3)
    for (const d of devices) {
      expect(d.kind === 'DRUG').toBe(d.dispensingMode !== null)
      expect(d.kind === 'DRUG').toBe(d.licenceNo !== null && d.licenceAddress !== null)
      expect(d.popularity).toBeGreaterThanOrEqual(0.2)
      expect(d.popularity).toBeLessThanOrEqual(3)
    }
  })
})

describe('planogram', () => {
  test('is the same every time and fits the machine', () => {
    for (const d of devices) {
      const floors = floorsOf(d)
      expect(floorsOf(d)).toEqual(floors)
      const type = deviceTypes.find((t) => t.key === d.typeKey)
      expect(floors).toHaveLength(type?.maxLevels ?? 0)
      for (const f of floors)
        expect(f.roads.map((r) => r.column)).toEqual(f.roads.map((_, i) => i + 1))
    }
  })

  test('keeps prices, stock and the drug rule', () => {
    for (const d of devices) {
      for (const road of floorsOf(d).flatMap((f) => f.roads)) {
        expect(road.quantity).toBeLessThanOrEqual(road.capacity)
        if (road.productKey === null) {
          expect(road.quantity).toBe(0)
          continue
        }
        const product = products.find((p) => p.key === road.productKey)
        expect(product?.drugClass).toBe(d.kind === 'DRUG' ? 'OTC_B' : 'NONE')
        expect(product?.categoryKey === 'flower').toBe(d.kind === 'FLOWER')
        expect(road.price).toBeGreaterThanOrEqual(product?.costPrice ?? Number.POSITIVE_INFINITY)
        expect(road.price).toBeLessThanOrEqual(road.retailPrice)
        expect(road.warnQty).toBeLessThanOrEqual(road.capacity)
      }
    }
  })

  test('shows empty, low, sold out and discounted lanes, and every product meant to be sold', () => {
    const roads = devices.flatMap((d) => floorsOf(d)).flatMap((f) => f.roads)
    const filled = roads.filter((r) => r.productKey !== null)
    expect(filled.length).toBeLessThan(roads.length)
    expect(filled.some((r) => r.quantity === 0)).toBe(true)
    expect(filled.some((r) => r.quantity > 0 && r.quantity <= r.warnQty)).toBe(true)
    expect(filled.some((r) => r.price < r.retailPrice)).toBe(true)
    const placed = new Set(filled.map((r) => r.productKey))
    for (const p of products) expect(placed.has(p.key), p.name).toBe(p.weight > 0)
  })
})

describe('rhythm', () => {
  const sites = [...new Set(devices.map((d) => d.site))] satisfies Site[]

  test('shares of a day add up to one', () => {
    expect(sites).toHaveLength(8)
    for (const site of sites) {
      for (let weekday = 0; weekday < 7; weekday++) {
        const sum = Array.from({ length: 24 }, (_, hour) => rhythm(site, hour, weekday)).reduce(
          (a, b) => a + b,
          0,
        )
        expect(sum).toBeCloseTo(1, 9)
      }
    }
  })

  test('sixty days of all machines give a believable number of orders', () => {
    const days = Array.from({ length: DEMO_DAYS }, (_, i) =>
      devices.reduce((sum, d) => sum + dailyOrders(d, i), 0),
    )
    const total = days.reduce((a, b) => a + b, 0)
    expect(total).toBeGreaterThan(45_000)
    expect(total).toBeLessThan(58_000)
    expect(dailyOrders(devices[0] as DemoDevice, 7)).toBe(dailyOrders(devices[0] as DemoDevice, 7))
  })

  test('machines in stock or scrapped sell nothing', () => {
    for (const d of devices.filter((x) => x.lifecycle === 'STOCK' || x.lifecycle === 'SCRAPPED')) {
      expect(dailyOrders(d, 10)).toBe(0)
    }
  })
})
