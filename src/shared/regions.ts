import packed from './regions.json' with { type: 'json' }

export interface Region {
  readonly code: string
  readonly name: string
  readonly children: readonly Region[]
}

type PackedProvince = readonly [string, string, readonly (readonly [string, string, string])[]]

// Cities without counties (东莞, 中山, 儋州, 嘉峪关) list their towns with 9-digit codes.
function unpackCounty(cityCode: string, text: string): Region {
  const digits = /^\d+/.exec(text)?.[0] ?? ''
  return { code: cityCode + digits, name: text.slice(digits.length), children: [] }
}

function unpack([provinceCode, provinceName, cities]: PackedProvince): Region {
  return {
    code: `${provinceCode}0000`,
    name: provinceName,
    children: cities.map(([code, name, counties]) => ({
      code: `${provinceCode}${code}00`,
      name,
      children: counties
        .split(',')
        .filter((text) => text !== '')
        .map((text) => unpackCounty(provinceCode + code, text)),
    })),
  }
}

// JSON imports widen tuples to arrays, so the shape is stated here once.
const tree: readonly Region[] = (packed as unknown as readonly PackedProvince[]).map(unpack)

const pathByCode = new Map<string, readonly Region[]>()

function index(regions: readonly Region[], parents: readonly Region[]): void {
  for (const region of regions) {
    const path = [...parents, region]
    pathByCode.set(region.code, path)
    index(region.children, path)
  }
}

index(tree, [])

/** Provinces with their cities and counties, in the order of the official list. */
export function regionTree(): readonly Region[] {
  return tree
}

/** Chinese name of one region, or undefined for an unknown code. */
export function regionName(code: string): string | undefined {
  return pathByCode.get(code)?.at(-1)?.name
}

/** The region and what contains it, province first; empty for an unknown code. */
export function regionPath(code: string): readonly Region[] {
  return pathByCode.get(code) ?? []
}

/** Province, city and county in words. */
export const placeName = (code: string, between = ' / '): string =>
  regionPath(code)
    .map((region) => region.name)
    .join(between)

/**
 * The region that names from the province down mean, as people write them: `广东` stands for `广东省`.
 * As far as all of them are known.
 */
export function regionsNamed(names: readonly string[]): Region[] {
  const found: Region[] = []
  for (const name of names) {
    const below = found.at(-1)?.children ?? (found.length ? [] : tree)
    const region =
      below.find((one) => one.name === name) ??
      below.find((one) => name !== '' && one.name.startsWith(name))
    if (!region) break
    found.push(region)
  }
  return found
}
