import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from '../../../web/base.ts'
import { usePrefs } from '../../../web/prefs.ts'
import type { BoardPlace } from '../boardContract.ts'
import styles from './wallMap.module.css'
import {
  box,
  country,
  named,
  type Outline,
  pathOf,
  provinceCode,
  sizeOf,
  stateOf,
  windowOf,
  x,
  y,
} from './wallRules.ts'

async function fetchOutlines(): Promise<readonly Outline[]> {
  const response = await fetch(href('/map/china.json'))
  if (!response.ok) throw new Error(`map ${response.status}`)
  return ((await response.json()) as { features: Outline[] }).features
}

/** Asked again now and then until it is there: a wall is not reloaded by hand. */
function useOutlines(): readonly Outline[] | null {
  const [outlines, setOutlines] = useState<readonly Outline[] | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let gone = false
    const ask = () =>
      void fetchOutlines().then(
        (found) => gone || setOutlines(found),
        () => {
          if (!gone) timer = setTimeout(ask, 15_000)
        },
      )
    ask()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [])
  return outlines
}

/** The country with a point for each city that has machines; a ring spreads where something is sold. */
export function WallMap({
  places,
  sold,
  province,
  onProvince,
}: {
  places: readonly BoardPlace[]
  sold: ReadonlyMap<string, number>
  /** The province that fills the map; null: the whole country. */
  province: string | null
  onProvince: (code: string | null) => void
}) {
  const { t } = useTranslation('workbench')
  const { lang } = usePrefs()
  const outlines = useOutlines()
  const land = useMemo(
    () => outlines?.map((one) => ({ code: one.properties.adcode, d: pathOf(one) })) ?? [],
    [outlines],
  )
  const held = new Set(places.map(({ code }) => provinceCode(code)))
  const near = outlines?.find(({ properties }) => properties.adcode === province)
  const view = useMemo(() => (near ? windowOf(near) : country), [near])
  // marks and names keep their size however near one looks
  const k = view.width / box.width
  const most = Math.max(...places.map((one) => one.online + one.fault + one.offline), 1)
  const shownPlaces = near ? places.filter(({ code }) => provinceCode(code) === province) : places
  const names = named(shownPlaces, near ? 30 : 10, k)
  return (
    <svg
      className={styles.map}
      viewBox={`${view.left} ${view.top} ${view.width} ${view.height}`}
      role="img"
      aria-label={t('wall.map')}
    >
      {land.map(({ code, d }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: a wall has no keyboard; the round shows the same
        <path
          key={code}
          d={d}
          className={held.has(code) ? styles.held : styles.land}
          style={{ strokeWidth: 0.06 * k }}
          onClick={() => onProvince(held.has(code) && code !== province ? code : null)}
        />
      ))}
      {shownPlaces.map((place) => {
        const state = stateOf(place)
        const [cx, cy, r] = [x(place.lng), y(place.lat), (k * sizeOf(place, most)) / 2]
        return state === 'fault' ? (
          <rect
            key={place.code}
            className={styles.fault}
            x={cx - r * 0.85}
            y={cy - r * 0.85}
            width={r * 1.7}
            height={r * 1.7}
            rx={0.06 * k}
          />
        ) : (
          <circle
            key={place.code}
            className={styles[state]}
            style={state === 'offline' ? { strokeWidth: 0.12 * k } : undefined}
            cx={cx}
            cy={cy}
            r={r}
          />
        )
      })}
      {names.map((place) => (
        <text
          key={place.code}
          className={styles.placeName}
          style={{ fontSize: 0.88 * k }}
          x={x(place.lng) + k * (sizeOf(place, most) / 2 + 0.25)}
          y={y(place.lat) + 0.32 * k}
        >
          {(lang === 'en' ? place.nameEn : place.name).replace(/\u5e02$/, '')}{' '}
          {place.online + place.fault + place.offline}
        </text>
      ))}
      {shownPlaces.map((place) => {
        const times = sold.get(place.code)
        return times ? (
          <g key={`${place.code} ${times}`} className={styles.sold}>
            <circle cx={x(place.lng)} cy={y(place.lat)} r={0.3 * k} />
            <circle
              cx={x(place.lng)}
              cy={y(place.lat)}
              r={0.9 * k}
              className={styles.ring}
              style={{ strokeWidth: 0.1 * k }}
            />
          </g>
        ) : null
      })}
    </svg>
  )
}
