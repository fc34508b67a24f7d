import L from 'leaflet'
import { useMemo, useRef } from 'react'
import { GeoMap } from './GeoMap.tsx'
import styles from './geo.module.css'

type Spot = { readonly key: number; readonly lng: number; readonly lat: number }
export type Stop = Spot & { readonly name: string; readonly nth: number | null }

const closest = 15

/** Places in the order in which one goes to them; those without a number were left behind. */
export function Trail({ stops }: { stops: readonly Stop[] }) {
  const shown = useRef(stops)
  shown.current = stops
  const onMap = useMemo(
    () => (map: L.Map) => {
      const layer = L.layerGroup().addTo(map)
      const at = ({ lng, lat }: Spot): L.LatLngTuple => [lat, lng]
      const ahead = shown.current.filter(({ nth }) => nth !== null)
      L.polyline(ahead.map(at), { className: styles.line ?? '', interactive: false }).addTo(layer)
      for (const stop of shown.current) {
        const mark = document.createElement('span')
        mark.textContent = stop.nth === null ? '✓' : String(stop.nth)
        const icon = L.divIcon({
          html: mark,
          className: `${styles.stop} ${stop.nth === null ? styles.past : ''}`,
          iconSize: [28, 28],
        })
        L.marker(at(stop), { icon, title: stop.name, alt: stop.name })
          .bindTooltip(stop.name)
          .addTo(layer)
      }
      const bounds = L.latLngBounds(shown.current.map(at))
      if (bounds.isValid()) map.fitBounds(bounds, { padding: [32, 32], maxZoom: closest })
      return () => layer.remove()
    },
    [],
  )
  return (
    <div className={styles.trail}>
      <GeoMap start={null} onMap={onMap} />
    </div>
  )
}
