import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { href } from '../../../web/base.ts'
import { Count } from '../../../web/Money.tsx'
import { Empty } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Mark } from '../../../web/StatusTag.tsx'
import { useTarget } from '../../../web/useTarget.ts'
import { MachineState, type MapRegion, reports } from '../contract.ts'
import { Card } from './Card.tsx'
import styles from './Home.module.css'
import type { Outlines } from './MapCanvas.tsx'

const MapCanvas = lazy(() =>
  import('./MapCanvas.tsx').then((module) => ({ default: module.MapCanvas })),
)

/** Where somebody drilled to: [] the country, [province], [province, city]. */
type Path = readonly { code: string; name: string }[]
const levels = ['province', 'city', 'point'] as const

async function fetchOutlines(): Promise<Outlines> {
  const response = await fetch(href('/map/china.json'))
  if (!response.ok) throw new Error(`map ${response.status}`)
  return (await response.json()) as Outlines
}

export function DeviceMap({ every }: { every: number | false }) {
  const { t } = useTranslation('reports')
  const { lang } = usePrefs()
  const target = useTarget()
  const navigate = useNavigate()
  const [path, setPath] = useState<Path>([])
  const level = levels[path.length] ?? 'province'
  const here = path.at(-1)
  const read = useRead(
    reports.deviceMap,
    { level, ...(here ? { region: here.code } : {}) },
    { inline: true, keep: true, every },
  )
  const outlines = useQuery({
    queryKey: ['map/china.json'],
    queryFn: fetchOutlines,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { inline: true },
  })
  const words = useMemo(
    () =>
      Object.fromEntries(
        MachineState.options.map((state) => [state, t(`enums.MachineState.${state}`)]),
      ) as Record<MachineState, string>,
    [t],
  )
  const nameOf = (region: MapRegion) => (lang === 'en' ? region.nameEn : region.name)
  const open = (region: MapRegion) =>
    path.length < 2 && setPath([...path, { code: region.code, name: nameOf(region) }])
  const detail = (id: number) => target(`/device/device-list?detail=${id}`)
  const loading = <div className={styles.canvas} aria-busy="true" />
  return (
    <Card
      title={t('map.title')}
      read={read}
      failed={t('map.failed')}
      rows={8}
      note={
        read.data && read.data.unlocated > 0 ? t('map.unlocated', { n: read.data.unlocated }) : null
      }
      extra={
        path.length > 0 ? (
          <Trail
            path={path}
            country={t('map.country')}
            onPick={(length) => setPath(path.slice(0, length))}
          />
        ) : null
      }
    >
      {(data) => {
        // while the next level loads the previous answer is still shown, without a map that does
        // not fit it
        const settled = !read.isPlaceholderData
        if (data.total === 0)
          return (
            <Empty
              title={t(path.length === 0 && data.unlocated === 0 ? 'map.empty' : 'map.emptyHere')}
            />
          )
        return (
          <div className={styles.map} data-level={level}>
            {outlines.data && settled ? (
              <Suspense fallback={loading}>
                <div className={styles.canvas}>
                  <MapCanvas
                    label={t('map.chart')}
                    outlines={outlines.data}
                    province={path[0]?.code ?? null}
                    regions={data.regions}
                    points={level === 'point' ? data.points : null}
                    nameOf={nameOf}
                    stateWords={words}
                    onRegion={open}
                    onPoint={(point) => {
                      const to = detail(point.id)
                      if (to) void navigate(to)
                    }}
                  />
                </div>
              </Suspense>
            ) : outlines.isError ? (
              <p className={styles.canvas} role="alert">
                {t('map.mapFailed')}
              </p>
            ) : (
              loading
            )}
            <ul
              className={styles.places}
              aria-label={t(level === 'point' ? 'map.machines' : 'map.region')}
            >
              {level === 'point'
                ? data.points.slice(0, 100).map((point) => {
                    const to = detail(point.id)
                    return (
                      <li key={point.id}>
                        <span
                          className={styles.place}
                          title={`${point.rtuNumber} ${point.nickname} ${words[point.state]}`}
                        >
                          <Mark tone={point.state === 'soldOut' ? 'warn' : point.state} />
                          {to ? <Link to={to}>{point.nickname}</Link> : point.nickname}
                        </span>
                      </li>
                    )
                  })
                : data.regions.map((region) => (
                    <li key={region.code}>
                      <button type="button" className={styles.place} onClick={() => open(region)}>
                        <span>{nameOf(region)}</span>
                        <strong>
                          <Count value={region.total} />
                        </strong>
                      </button>
                    </li>
                  ))}
            </ul>
            <div className={styles.legend}>
              <ul>
                {MachineState.options.map((state) => (
                  <li key={state}>
                    <Mark tone={state === 'soldOut' && level === 'point' ? 'warn' : state} />
                    <span>{words[state]}</span>
                    <strong>
                      <Count value={data.states[state]} />
                    </strong>
                  </li>
                ))}
              </ul>
              <small>
                {level === 'point'
                  ? t(data.total > data.points.length ? 'map.shown' : 'map.total', {
                      n:
                        level === 'point' && data.total > data.points.length
                          ? data.points.length
                          : data.total,
                    })
                  : t(level === 'province' ? 'map.hintProvince' : 'map.hintCity')}
              </small>
            </div>
          </div>
        )
      }}
    </Card>
  )
}

function Trail({
  path,
  country,
  onPick,
}: {
  path: Path
  country: string
  onPick: (length: number) => void
}) {
  return (
    <nav className={styles.trail}>
      <button type="button" onClick={() => onPick(0)}>
        {country}
      </button>
      {path.map((step, at) =>
        at === path.length - 1 ? (
          <span key={step.code} aria-current="page">
            {step.name}
          </span>
        ) : (
          <button key={step.code} type="button" onClick={() => onPick(at + 1)}>
            {step.name}
          </button>
        ),
      )}
    </nav>
  )
}
