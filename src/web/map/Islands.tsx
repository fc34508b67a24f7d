import styles from './map.module.css'

type Position = readonly number[]

/** The South China Sea, in a frame of its own as on every map of the country. */
export function Islands({ title, geometry }: { title: string; geometry: GeoJSON.Geometry }) {
  const rings: readonly (readonly Position[])[] =
    geometry.type === 'Polygon'
      ? geometry.coordinates
      : geometry.type === 'MultiPolygon'
        ? geometry.coordinates.flat()
        : geometry.type === 'MultiLineString'
          ? geometry.coordinates
          : []
  const all = rings.flat()
  const [xs, ys] = [all.map(([x = 0]) => x), all.map(([, y = 0]) => y)]
  const [west, east, south, north] = [
    Math.min(...xs),
    Math.max(...xs),
    Math.min(...ys),
    Math.max(...ys),
  ]
  const path = rings
    .map(
      (ring) =>
        `M${ring.map(([x = 0, y = 0]) => `${(x - west).toFixed(2)} ${(north - y).toFixed(2)}`).join('L')}`,
    )
    .join('')
  return (
    <figure className={styles.islands}>
      <svg
        viewBox={`0 0 ${east - west} ${north - south}`}
        preserveAspectRatio="xMidYMid meet"
        aria-hidden="true"
      >
        <path d={path} />
      </svg>
      <figcaption>{title}</figcaption>
    </figure>
  )
}
