import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { shanghaiDay } from '../../../../shared/instants.ts'
import { shortTime } from '../../../../web/time.ts'
import type { Route, RouteStop } from '../../routeContract.ts'
import styles from './phone.module.css'
import { keptOf, useStored, visitsOf } from './store.ts'
import { isOld, type KeptRoute as Kept } from './takeAlong.ts'

/** The route as this phone took it along, with what was done since; `other`: it has none. */
export function KeptRoute({
  show,
  other,
}: {
  show: (route: Route) => ReactNode
  other: ReactNode
}) {
  const { t } = useTranslation('replenishment')
  const found = useStored(async (db) => ({
    kept: await keptOf<Kept>(db, 'route'),
    visits: await visitsOf(db),
  }))
  if (!found) return null
  const { kept, visits } = found
  if (!kept) return other
  const today = shanghaiDay(new Date())
  const stops = kept.stops.map((stop): RouteStop => {
    const visit = visits.find(
      (one) => one.deviceId === stop.deviceId && shanghaiDay(new Date(one.startedAt)) === today,
    )
    if (!visit || visit.state === 'REFUSED') return stop
    // what was begun here goes on here
    return { ...stop, state: visit.state === 'OPEN' ? 'DRAFT' : 'DONE', visitId: null }
  })
  const ahead = stops.filter(({ state }) => state === 'OPEN' || state === 'DRAFT')
  return (
    <>
      <p className={styles.warn} role="status">
        {isOld(kept.takenAt)
          ? t('phone.old')
          : t('phone.takenAt', { at: shortTime(new Date(kept.takenAt), new Date()) })}
      </p>
      {show({
        ...kept,
        stops,
        done: stops.filter(({ state }) => state === 'DONE').length,
        pieces: ahead.reduce((sum, { suggested }) => sum + suggested, 0),
      })}
    </>
  )
}
