import 'leaflet/dist/leaflet.css'
import L from 'leaflet'
import { useEffect, useRef, useState } from 'react'
import { chinaBox, toGcj } from '../../shared/place.ts'
import { href } from '../base.ts'
import { onPrefs } from '../prefs.ts'
import { addAtlas, type Detail } from './atlasLayers.ts'
import { Islands } from './Islands.tsx'
import styles from './map.module.css'

export type Tiles = {
  readonly url: string
  readonly attribution: string
  readonly system: 'GCJ02' | 'WGS84'
}
export type MapWords = {
  readonly label: string
  readonly zoomIn: string
  readonly zoomOut: string
  readonly whole: string
  readonly islands: string
}
type Outlines = { features: { properties: { adcode: string }; geometry: GeoJSON.Geometry }[] }
type Props = {
  readonly words: MapWords
  readonly tiles: Tiles | undefined
  /** Counties of a province, asked for when it is near. */
  readonly load: (province: string) => Promise<Detail>
  readonly start: { readonly lng: number; readonly lat: number; readonly zoom: number } | null
  /** Adds what the page draws; what it returns runs before the map goes. */
  readonly onMap: (map: L.Map) => () => void
}
export const wholeCountry = L.latLngBounds([18, 73.5], [53.5, 135])

let country: Promise<Outlines> | undefined
/**
 * The replaceable outline of the country; the frame of the South China Sea (100000) is drawn beside
 * the map.
 */
const outlines = (): Promise<Outlines> => {
  country ??= fetch(href('/map/china.json')).then((answer) => {
    if (!answer.ok) throw new Error(`map ${answer.status}`)
    return answer.json() as Promise<Outlines>
  })
  country.catch(() => {
    country = undefined
  })
  return country
}
const frame = '100000'

/**
 * Tiles of WGS-84 lie some hundred metres beside ours: they are moved by what the middle of the map
 * is off.
 */
function shiftTiles(map: L.Map): void {
  const { lng, lat } = map.getCenter()
  const [x, y] = toGcj(lng, lat)
  const shift = map.latLngToLayerPoint([y, x]).subtract(map.latLngToLayerPoint([lat, lng]))
  ;(map.getPane('tilePane') as HTMLElement).style.transform =
    `translate(${Math.round(shift.x)}px, ${Math.round(shift.y)}px)`
}

export function MapView({ words, tiles, load, start, onMap }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [islands, setIslands] = useState<GeoJSON.Geometry | null>(null)
  const [far, setFar] = useState(false)
  const atlas = useRef<ReturnType<typeof addAtlas> | null>(null)
  const [map, setMap] = useState<L.Map | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a map is made once; words and start are those of its first day
  useEffect(() => {
    if (!box.current) return
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const made = L.map(box.current, {
      zoomControl: false,
      attributionControl: false,
      minZoom: 3,
      maxZoom: 18,
      maxBounds: [
        [chinaBox.south - 12, chinaBox.west - 25],
        [chinaBox.north + 12, chinaBox.east + 25],
      ],
      zoomAnimation: !still,
      fadeAnimation: false,
      markerZoomAnimation: !still,
      inertia: !still,
    })
    if (start) made.setView([start.lat, start.lng], start.zoom)
    else made.fitBounds(wholeCountry)
    L.control
      .zoom({ position: 'topright', zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut })
      .addTo(made)
    L.control.scale({ imperial: false, position: 'bottomleft' }).addTo(made)
    let gone = false
    void outlines().then(({ features }) => {
      if (gone) return
      setIslands(features.find((feature) => feature.properties.adcode === frame)?.geometry ?? null)
      atlas.current = addAtlas(
        made,
        features.filter((feature) => feature.properties.adcode !== frame),
        load,
      )
    })
    const look = () => setFar(made.getZoom() <= 5)
    made.on('zoomend', look)
    look()
    const stopPrefs = onPrefs(() => setTimeout(() => atlas.current?.repaint()))
    const resized = new ResizeObserver(() => made.invalidateSize({ animate: false }))
    resized.observe(box.current)
    const leave = onMap(made)
    setMap(made)
    return () => {
      gone = true
      stopPrefs()
      resized.disconnect()
      leave()
      atlas.current?.stop()
      atlas.current = null
      made.remove()
    }
  }, [])
  useEffect(() => {
    if (!map || !tiles?.url) return
    const layer = L.tileLayer(tiles.url, { maxZoom: 18, crossOrigin: false })
    const shift = () => shiftTiles(map)
    // the land below stays, so that a map without its tile server is still one
    layer.once('tileload', () => atlas.current?.quiet(true))
    if (tiles.system === 'WGS84') map.on('moveend', shift)
    layer.addTo(map)
    if (tiles.system === 'WGS84') shift()
    return () => {
      map.off('moveend', shift)
      layer.remove()
    }
  }, [map, tiles])
  return (
    <div className={styles.frame}>
      <div ref={box} className={styles.map} role="application" aria-label={words.label} />
      <button type="button" className={styles.whole} onClick={() => map?.fitBounds(wholeCountry)}>
        {words.whole}
      </button>
      {far && islands ? <Islands title={words.islands} geometry={islands} /> : null}
      {tiles?.url && tiles.attribution ? (
        <small className={styles.attribution}>{tiles.attribution}</small>
      ) : null}
    </div>
  )
}
