import L from 'leaflet'
import { decodeLine, unitsPerDegree } from '../../shared/outline.ts'
import { PROVINCES } from '../../shared/provinces.ts'
import { prefs } from '../prefs.ts'

/**
 * What a map shows without any tiles: land, borders and names, finer as one comes closer, and the
 * lines of longitude and latitude.
 */
export type Detail = {
  areas: readonly {
    name: string
    lng: number | null
    lat: number | null
    polygons: readonly (readonly string[])[]
  }[]
  borders: readonly string[]
  cities: readonly { name: string; lng: number; lat: number }[]
}
type Outline = { properties: { adcode: string }; geometry: GeoJSON.Geometry }
type Province = {
  code: string
  base: L.GeoJSON
  bounds: L.LatLngBounds
  detail: Drawn | 'loading' | null
}
type Drawn = { group: L.FeatureGroup; areas: L.Polygon[]; names: Detail }

const detailFrom = 7
const countiesFrom = 9

const color = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--hd-${name}`).trim()
const points = (packed: string): [number, number][] => {
  const flat = decodeLine(packed)
  const out: [number, number][] = []
  for (let i = 0; i < flat.length; i += 2)
    out.push([(flat[i + 1] as number) / unitsPerDegree, (flat[i] as number) / unitsPerDegree])
  return out
}

export function addAtlas(
  map: L.Map,
  country: readonly Outline[],
  load: (province: string) => Promise<Detail>,
) {
  map.createPane('land').style.zIndex = '150'
  map.createPane('names').style.zIndex = '350'
  for (const name of ['land', 'names'])
    (map.getPane(name) as HTMLElement).style.pointerEvents = 'none'
  const renderer = L.canvas({ pane: 'land', padding: 0.3 })
  const still = { renderer, pane: 'land', interactive: false }
  const grid = L.layerGroup().addTo(map)
  const names = L.layerGroup().addTo(map)
  const style = () => ({
    land: {
      ...still,
      stroke: true,
      weight: 0.8,
      color: color('field-line'),
      fill: true,
      fillColor: color('sheet'),
      fillOpacity: 1,
    },
    county: {
      ...still,
      weight: map.getZoom() >= countiesFrom ? 0.7 : 0,
      color: color('field-line'),
      fill: true,
      fillColor: color('sheet'),
      fillOpacity: 1,
    },
    city: { ...still, weight: 1.4, color: color('placeholder'), fill: false },
    hidden: { stroke: false, fill: false },
    grid: { ...still, weight: 1, color: color('split'), fill: false, dashArray: '2 4' },
  })
  const provinces: Province[] = country.map((outline) => {
    const base = L.geoJSON(
      outline as unknown as GeoJSON.Feature,
      { style: style().land, ...still } as L.GeoJSONOptions,
    ).addTo(map)
    return { code: outline.properties.adcode, base, bounds: base.getBounds(), detail: null }
  })

  function draw(detail: Detail): Drawn {
    const { county, city } = style()
    const areas = detail.areas.flatMap((area) =>
      area.polygons.map((rings) => L.polygon(rings.map(points), county)),
    )
    return {
      group: L.featureGroup([
        ...areas,
        ...detail.borders.map((line) => L.polyline(points(line), city)),
      ]),
      areas,
      names: detail,
    }
  }
  function show(province: Province): void {
    const near = map.getZoom() >= detailFrom && map.getBounds().intersects(province.bounds)
    const { detail } = province
    if (near && detail === null) {
      province.detail = 'loading'
      load(province.code)
        .then((found) => {
          province.detail = draw(found)
          if (alive) refresh()
        })
        .catch(() => {
          province.detail = null
        })
      return
    }
    if (detail === null || detail === 'loading') return
    const shown = map.hasLayer(detail.group)
    if (near && !shown) detail.group.addTo(map)
    if (!near && shown) detail.group.remove()
    province.base.setStyle(near ? style().hidden : style().land)
  }

  function label(text: string, at: L.LatLngExpression, kind: string): L.Marker {
    const box = document.createElement('span')
    box.textContent = text
    box.dataset.kind = kind
    return L.marker(at, {
      pane: 'names',
      interactive: false,
      keyboard: false,
      icon: L.divIcon({ html: box, className: 'hd-map-name', iconSize: [0, 0] }),
    })
  }
  function showNames(): void {
    names.clearLayers()
    const [zoom, bounds, english] = [map.getZoom(), map.getBounds(), prefs().lang === 'en']
    const drawn = provinces.flatMap(({ detail }) =>
      detail && detail !== 'loading' && map.hasLayer(detail.group) ? [detail.names] : [],
    )
    const wanted: { name: string; lng: number; lat: number; kind: string }[] =
      zoom < detailFrom
        ? PROVINCES.map((province) => ({
            ...province,
            name: english ? province.nameEn : province.name,
            kind: 'province',
          }))
        : zoom < countiesFrom
          ? drawn.flatMap((detail) => detail.cities.map((city) => ({ ...city, kind: 'city' })))
          : drawn.flatMap((detail) =>
              detail.areas.flatMap(({ name, lng, lat }) =>
                name && lng !== null && lat !== null ? [{ name, lng, lat, kind: 'county' }] : [],
              ),
            )
    const taken: { x: number; y: number; w: number }[] = []
    for (const { name, lng, lat, kind } of wanted) {
      if (!bounds.contains([lat, lng])) continue
      const { x, y } = map.latLngToContainerPoint([lat, lng])
      const w = [...name].reduce((sum, letter) => sum + (letter > '\u2e80' ? 13 : 7), 6)
      if (
        taken.some(
          (other) => Math.abs(other.y - y) < 18 && Math.abs(other.x - x) < (other.w + w) / 2,
        )
      )
        continue
      taken.push({ x, y, w })
      names.addLayer(label(name, [lat, lng], kind))
    }
  }

  const steps = [20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
  function showGrid(): void {
    grid.clearLayers()
    const [bounds, width] = [map.getBounds().pad(0.3), 256 * 2 ** map.getZoom()]
    const step = [...steps].reverse().find((degrees) => (degrees / 360) * width >= 140) ?? 20
    const digits = Math.max(0, -Math.floor(Math.log10(step)))
    const view = map.getBounds()
    const { x: wide, y: high } = map.getSize()
    const inside = (lat: number, lng: number) => {
      const { x, y } = map.latLngToContainerPoint([lat, lng])
      return x > 28 && x < wide - 60 && y > 24 && y < high - 24
    }
    const { lat: midLat, lng: midLng } = view.getCenter()
    const options = style().grid
    for (let lng = Math.ceil(bounds.getWest() / step) * step; lng < bounds.getEast(); lng += step) {
      grid.addLayer(
        L.polyline(
          [
            [bounds.getSouth(), lng],
            [bounds.getNorth(), lng],
          ],
          options,
        ),
      )
      if (inside(midLat, lng))
        grid.addLayer(label(`${lng.toFixed(digits)}°E`, [view.getNorth(), lng], 'east'))
    }
    for (
      let lat = Math.ceil(bounds.getSouth() / step) * step;
      lat < bounds.getNorth();
      lat += step
    ) {
      grid.addLayer(
        L.polyline(
          [
            [lat, bounds.getWest()],
            [lat, bounds.getEast()],
          ],
          options,
        ),
      )
      if (inside(lat, midLng))
        grid.addLayer(label(`${lat.toFixed(digits)}°N`, [lat, view.getEast()], 'north'))
    }
  }

  let alive = true
  let before = map.getZoom()
  function refresh(): void {
    const zoom = map.getZoom()
    if (zoom >= countiesFrom !== before >= countiesFrom)
      for (const { detail } of provinces)
        if (detail && detail !== 'loading')
          for (const area of detail.areas) area.setStyle(style().county)
    before = zoom
    for (const province of provinces) show(province)
    showNames()
    showGrid()
  }
  /** After a change of theme or language. */
  function repaint(): void {
    const { land, county, city } = style()
    for (const { base, detail } of provinces) {
      const drawn = detail && detail !== 'loading' ? detail : null
      if (!drawn || !map.hasLayer(drawn.group)) base.setStyle(land)
      drawn?.group.eachLayer((layer) => {
        const path = layer as L.Path
        path.setStyle(layer instanceof L.Polygon ? county : city)
      })
    }
    refresh()
  }
  map.on('moveend', refresh)
  refresh()
  return {
    repaint,
    /** Streets say their own names. */
    quiet: (on: boolean) => {
      ;(map.getPane('names') as HTMLElement).style.display = on ? 'none' : ''
    },
    stop: () => {
      alive = false
      map.off('moveend', refresh)
    },
  }
}
