import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { ListHead } from '../../../web/list/Heads.tsx'
import type { Side } from '../../../web/list/OrderHandle.tsx'
import { useLive } from '../../../web/live.ts'
import { Empty, Unread } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { useNarrow } from '../../../web/shell/useWidth.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { Trail } from '../../geo/web/pickers.tsx'
import { replenishment } from '../contract.ts'
import type { Route, RouteStop } from '../routeContract.ts'
import { OnPhone, RouteHere, Synced } from './OnPhone.tsx'
import styles from './route.module.css'
import { StopCard } from './StopCard.tsx'
import { useStart } from './useStart.ts'
import { useViews } from './views.ts'

const LoadList = lazyDialog(() => import('./LoadList.tsx').then((m) => m.LoadList))
const SkipDialog = lazyDialog(() => import('./SkipDialog.tsx').then((m) => m.SkipDialog))

const soonMs = 6 * 3_600_000
const isSoon = (stop: RouteStop) =>
  stop.soldOut > 0 ||
  (stop.sellsOutAt !== null && Date.parse(stop.sellsOutAt) < Date.now() + soonMs)
const isDone = ({ state }: RouteStop) => state === 'DONE'
const filters = {
  all: () => true,
  urgent: (stop: RouteStop) => !isDone(stop) && isSoon(stop),
  goods: (stop: RouteStop) => !isDone(stop) && stop.recalled + stop.expiring + stop.takeBack > 0,
  count: (stop: RouteStop) => !isDone(stop) && stop.toCount > 0,
  done: isDone,
} satisfies Record<string, (stop: RouteStop) => boolean>
type Filter = keyof typeof filters

/** The day of whoever fills machines, in the order of his visits; others look at it. */
export function RoutePage() {
  const may = useMay()
  const narrow = useNarrow()
  const [userId, setUserId] = useState<number>()
  const read = useRead(replenishment.myRoute, userId === undefined ? {} : { userId }, {
    inline: true,
    keep: true,
  })
  useLive('replenishment', [replenishment.myRoute.path])
  const { t } = useTranslation('replenishment')
  const views = useViews('route')
  return (
    <>
      {/* on a phone the shell says where one is */}
      {narrow && !may('user:lookup') ? null : (
        <section className={`hd-sheet ${styles.title}`}>
          <ListHead
            title={t(narrow ? 'route.title' : 'title')}
            views={narrow ? [] : views}
            query={{}}
            onView={() => undefined}
            actions={
              may('user:lookup') ? (
                <div className={styles.person}>
                  <PersonSelect
                    value={userId}
                    onChange={(id) => setUserId((id as number | null) ?? undefined)}
                    placeholder={t('route.mine')}
                    prefix={t('fields.userId')}
                  />
                </div>
              ) : null
            }
          />
        </section>
      )}
      <OnPhone />
      {read.data ? (
        <Day route={read.data} own={userId === undefined && may('replenish:update')} />
      ) : read.error && userId === undefined ? (
        <RouteHere
          show={(route) => <Day route={route} own={may('replenish:update')} offline />}
          other={<Unread read={read} rows={8} />}
        />
      ) : (
        <Unread read={read} rows={8} />
      )}
    </>
  )
}

/** `offline`: what is kept may be begun; the rest asks the server. */
function Day({ route, own, offline = false }: { route: Route; own: boolean; offline?: boolean }) {
  const { t } = useTranslation('replenishment')
  const navigate = useNavigate()
  const [filter, setFilter] = useState<Filter>('all')
  const [mapped, setMapped] = useState(false)
  const [loading, setLoading] = useState(false)
  const [skipping, setSkipping] = useState<RouteStop>()
  const begin = useStart()
  const { date } = route
  const plans = own && !offline
  const again = { invalidates: [replenishment.myRoute.path] }
  const order = useWrite(replenishment.orderRoute, again)
  const back = useWrite(replenishment.unskipStop, again)
  const ahead = route.stops.filter(({ state }) => state === 'OPEN' || state === 'DRAFT')
  // what comes next stands first
  const shown = [...ahead, ...route.stops.filter((stop) => !ahead.includes(stop))].filter(
    filters[filter],
  )
  const keepOrder = (deviceIds: number[]) => order.mutate({ date, deviceIds })
  const move = (stop: RouteStop, by: -1 | 1) => {
    const ids = ahead.map((one) => one.deviceId)
    const at = ids.indexOf(stop.deviceId)
    ids.splice(at + by, 0, ...ids.splice(at, 1))
    keepOrder(ids)
  }
  const put = (stop: RouteStop, beside: string, side: Side) => {
    const ids = ahead.map((one) => one.deviceId).filter((id) => id !== stop.deviceId)
    const at = ids.indexOf(Number(beside))
    // what is done stands behind all that is left
    ids.splice(at < 0 ? ids.length : at + (side === 'AFTER' ? 1 : 0), 0, stop.deviceId)
    keepOrder(ids)
  }
  const trail = shown.flatMap((stop) =>
    stop.lng === null || stop.lat === null
      ? []
      : {
          key: stop.deviceId,
          lng: stop.lng,
          lat: stop.lat,
          name: stop.nickname || stop.rtuNumber,
          nth: ahead.includes(stop) ? ahead.indexOf(stop) + 1 : null,
        },
  )
  if (!route.stops.length)
    return (
      <Empty
        title={t('route.none')}
        action={<Button onClick={() => navigate('/stock/replenish')}>{t('views.tasks')}</Button>}
      />
    )
  return (
    <>
      <section className={`hd-sheet ${styles.head}`} aria-label={t('route.progress')}>
        <p className={styles.figures}>
          <b>{t('route.done', { done: route.done, all: route.stops.length })}</b>
          <Muted>{t('route.rest', { pieces: route.pieces, km: Math.round(route.km) })}</Muted>
          <Synced />
        </p>
        <div className={styles.acts}>
          {offline ? null : (
            <div className={styles.chips} role="group" aria-label={t('route.as')}>
              {(['list', 'map'] as const).map((key) => (
                <button
                  key={key}
                  type="button"
                  aria-pressed={mapped === (key === 'map')}
                  onClick={() => setMapped(key === 'map')}
                >
                  {t(`route.${key}`)}
                </button>
              ))}
            </div>
          )}
          {plans && ahead.length ? (
            <Button size="large" onClick={() => setLoading(true)}>
              {t('route.load')}
            </Button>
          ) : null}
          {plans && route.ordered ? (
            <Button size="large" loading={order.isPending} onClick={() => keepOrder([])}>
              {t('route.suggested')}
            </Button>
          ) : null}
        </div>
        <div className={styles.chips} role="group" aria-label={t('route.filter')}>
          {(Object.keys(filters) as Filter[]).map((key) => (
            <button
              key={key}
              type="button"
              aria-pressed={filter === key}
              onClick={() => setFilter(key)}
            >
              {t(`route.filters.${key}`)} <small>{route.stops.filter(filters[key]).length}</small>
            </button>
          ))}
        </div>
      </section>
      {mapped && !offline && trail.length ? (
        <Trail key={JSON.stringify(trail)} stops={trail} />
      ) : shown.length ? (
        <ol className={styles.stops}>
          {shown.map((stop) => (
            <StopCard
              key={stop.deviceId}
              stop={stop}
              nth={ahead.includes(stop) ? ahead.indexOf(stop) + 1 : null}
              onMove={
                plans && filter === 'all' && ahead.includes(stop)
                  ? {
                      up: stop === ahead[0] ? null : () => move(stop, -1),
                      down: stop === ahead.at(-1) ? null : () => move(stop, 1),
                      put: (beside, side) => put(stop, beside, side),
                    }
                  : null
              }
              onStart={
                own
                  ? () =>
                      begin({
                        id: stop.deviceId,
                        rtuNumber: stop.rtuNumber,
                        nickname: stop.nickname,
                        draftId: stop.state === 'DRAFT' ? stop.visitId : null,
                      })
                  : null
              }
              onSkip={plans ? () => setSkipping(stop) : null}
              onBack={plans ? () => back.mutate({ date, deviceId: stop.deviceId }) : null}
            />
          ))}
        </ol>
      ) : (
        <Empty title={t('route.noneHere')} />
      )}
      {route.more ? (
        <p className={styles.more}>
          <Muted>{t('route.more', { n: route.more })}</Muted>
        </p>
      ) : null}
      {loading ? <LoadList date={date} onClose={() => setLoading(false)} /> : null}
      {skipping ? (
        <SkipDialog date={date} stop={skipping} onClose={() => setSkipping(undefined)} />
      ) : null}
    </>
  )
}
