import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shanghaiClock } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { provinceOf } from '../../../shared/provinces.ts'
import { formatCount } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Mark, type Tone } from '../../../web/StatusTag.tsx'
import type { Board, BoardSale } from '../boardContract.ts'
import { useFit, useRound, useSold } from './useWall.ts'
import { Bars, Hours, Month, Ranking, Shares } from './WallCharts.tsx'
import { WallMap } from './WallMap.tsx'
import styles from './wall.module.css'
import { machinesOf } from './wallRules.ts'

const clockOf = (at: string) => shanghaiClock(new Date(at)).slice(11, 19)

/** The display on the wall: drawn at 1920 × 1080 and scaled as a whole, dark whatever the theme is. */
export function Wall({
  board,
  late,
  tools,
}: {
  board: Board
  /** The stream is lost: what is shown may be half a minute old. */
  late: boolean
  tools: ReactNode
}) {
  const { t } = useTranslation('workbench')
  const box = useRef<HTMLDivElement>(null)
  const scale = useFit(box)
  const sold = useSold(board.sales)
  const round = useRound(board.places)
  return (
    <div ref={box} className={styles.wall} data-wall={board.asOf}>
      <main className={styles.canvas} style={{ transform: `scale(${scale})` }}>
        <header className={styles.head}>
          <svg viewBox="0 0 32 32" className={styles.logo} aria-hidden="true">
            <rect width="32" height="32" rx="7" />
            <path d="M8 10h16M8 17h6M18 17h6" />
            <circle cx="16" cy="23" r="2.4" />
          </svg>
          <h1>{t('wall.title')}</h1>
          <span>{board.orgName}</span>
          {late ? (
            <em role="status">
              {t('wall.late')} · {t('wall.lateSince', { time: clockOf(board.asOf).slice(0, 5) })}
            </em>
          ) : null}
          <nav>
            <button type="button" aria-pressed={round.on} onClick={round.toggle}>
              {t('wall.rotate')}
            </button>
            {tools}
          </nav>
          <Clock />
        </header>
        <div className={styles.columns}>
          <Left board={board} />
          <section className={styles.middle}>
            <MapHead board={board} province={round.province} onCountry={() => round.show(null)} />
            <WallMap
              places={board.places}
              sold={sold}
              province={round.province}
              onProvince={round.show}
            />
            <Ticker sales={board.sales} />
          </section>
          <Right board={board} />
        </div>
      </main>
    </div>
  )
}

function Clock() {
  const { lang } = usePrefs()
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000)
    return () => clearInterval(timer)
  }, [])
  const weekday = new Intl.DateTimeFormat(lang, { weekday: 'short', timeZone: 'Asia/Shanghai' })
  const text = shanghaiClock(now)
  return (
    <time>
      {text.slice(0, 10)} {weekday.format(now)} <strong>{text.slice(11, 19)}</strong>
    </time>
  )
}

function Panel({
  title,
  note,
  children,
  grow = false,
}: {
  title?: ReactNode
  note?: ReactNode
  children: ReactNode
  grow?: boolean
}) {
  return (
    <section className={styles.panel} data-grow={grow}>
      {title ? (
        <header>
          <h2>{title}</h2>
          <small>{note}</small>
        </header>
      ) : null}
      {children}
    </section>
  )
}

const Named = ({ name, value, big = false }: { name: string; value: string; big?: boolean }) => (
  <div className={big ? styles.big : styles.named}>
    <span>{name}</span>
    <strong>{value}</strong>
  </div>
)

function Left({ board }: { board: Board }) {
  const { t } = useTranslation('workbench')
  const { today, total, before, days, orgs, pays } = board
  const money = today.turnover !== null
  const week = days.slice(-7)
  const first = money ? yuan(today.turnover ?? 0) : formatCount(today.orders)
  const then = money ? yuan(before.turnover ?? 0) : formatCount(before.orders)
  return (
    <section className={styles.side}>
      <Panel>
        <Named big name={t(money ? 'wall.todayTurnover' : 'wall.todayOrders')} value={first} />
        <p className={styles.note}>{t('wall.before', { value: then })}</p>
        <div className={styles.pair}>
          {money ? <Named name={t('wall.todayOrders')} value={formatCount(today.orders)} /> : null}
          <Named name={t('wall.totalOrders')} value={formatCount(total.orders)} />
        </div>
        {money ? (
          <p className={styles.total}>
            {t('wall.totalTurnover')} <strong>{yuan(total.turnover ?? 0)}</strong>
          </p>
        ) : null}
      </Panel>
      <Panel
        title={t(money ? 'wall.week' : 'wall.weekOrders')}
        note={t(money ? 'wall.yuan' : 'wall.orders')}
      >
        <Bars
          label={t(money ? 'wall.week' : 'wall.weekOrders')}
          scale={money ? 100 : 1}
          bars={week.map(({ day, orders, turnover }, i) => ({
            label: i === week.length - 1 ? t('wall.now') : String(Number(day.slice(8))),
            value: turnover ?? orders,
            unfinished: i === week.length - 1,
          }))}
        />
      </Panel>
      <Panel title={t('wall.month')} note={t('wall.orders')}>
        <Month label={t('wall.month')} values={days.slice(0, -1).map(({ orders }) => orders)} />
      </Panel>
      <Panel title={t('wall.pays')} note={t('wall.paysNote')}>
        <Shares rows={pays.map(({ type, orders }) => [t(`enums.payType.${type}`), orders])} />
      </Panel>
      <Panel title={t('wall.orgs')} note={t(money ? 'wall.orgsNote' : 'wall.orgsOrders')} grow>
        <Ranking
          money={money}
          rows={orgs.slice(0, 4).map(({ name, orders, turnover }) => ({
            name,
            value: turnover ?? orders,
          }))}
        />
      </Panel>
    </section>
  )
}

type HeadProps = { board: Board; province: string | null; onCountry: () => void }
/** Machines of what the map shows. */
function MapHead({ board, province, onCountry }: HeadProps) {
  const { t } = useTranslation('workbench')
  const { lang } = usePrefs()
  const devices = province ? machinesOf(board.places, province) : board.devices
  const name = province ? provinceOf(province) : undefined
  return (
    <header className={styles.mapHead}>
      <Named
        name={name ? (lang === 'en' ? name.nameEn : name.name) : t('wall.devices')}
        value={formatCount(devices.total)}
      />
      {province ? (
        <button type="button" onClick={onCountry}>
          {t('wall.country')}
        </button>
      ) : null}
      <ul>
        {(['online', 'fault', 'offline'] as const).map((state) => (
          <li key={state}>
            <Mark tone={state} /> {t(`enums.device.${state}`)} {formatCount(devices[state])}
          </li>
        ))}
      </ul>
    </header>
  )
}

const tones: Partial<Record<BoardSale['status'], Tone>> = {
  PAID: 'paid',
  SHIPPED: 'shipped',
  SUCCESS: 'success',
  ABNORMAL: 'fault',
  REFUNDED: 'refunded',
}
function Ticker({ sales }: { sales: readonly BoardSale[] }) {
  const { t } = useTranslation('workbench')
  // what was there at the first look is not new
  const [first] = useState(sales[0]?.at ?? '')
  return (
    <Panel title={t('wall.ticker')} note={t('wall.tickerNote')}>
      {sales.length === 0 ? <p className={styles.quiet}>{t('wall.noSales')}</p> : null}
      <ol className={styles.ticker}>
        {sales.map((sale) => (
          <li key={`${sale.at} ${sale.machine} ${sale.goods}`} data-fresh={sale.at > first}>
            <time>{clockOf(sale.at)}</time>
            <span>{sale.goods}</span>
            <span>
              {sale.cityName.replace(/\u5e02$/, '')} {sale.machine}
            </span>
            <strong>{sale.amount === null ? '' : yuan(sale.amount)}</strong>
            <em data-tone={tones[sale.status]}>
              <Mark tone={tones[sale.status] ?? 'closed'} /> {t(`enums.status.${sale.status}`)}
            </em>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

const percent = (part: number, whole: number) =>
  whole === 0 ? '—' : `${((100 * part) / whole).toFixed(1)}%`

function Right({ board }: { board: Board }) {
  const { t } = useTranslation('workbench')
  const { lang } = usePrefs()
  const { devices, vends, hours, hot, alarms } = board
  return (
    <section className={styles.side}>
      <Panel>
        <div className={styles.triple}>
          <Named
            name={t('wall.onlineRate')}
            value={percent(devices.online + devices.fault, devices.total)}
          />
          <Named
            name={t('wall.vendRate')}
            value={vends ? percent(vends.done, vends.done + vends.failed) : '—'}
          />
          <Named name={t('wall.todayOrders')} value={formatCount(board.today.orders)} />
        </div>
      </Panel>
      <Panel
        title={t('wall.hours')}
        note={
          <>
            <span className={styles.keyToday}>{t('wall.today')}</span>
            <span className={styles.keyBefore}>{t('wall.yesterday')}</span>
          </>
        }
      >
        <Hours label={t('wall.hours')} {...hours} />
      </Panel>
      <Panel title={t('wall.hot')} note={t('wall.hotNote')}>
        <Ranking rows={hot.slice(0, 7).map(({ name, pieces }) => ({ name, value: pieces }))} />
      </Panel>
      <Panel title={t('wall.alarms')} grow>
        {alarms.length === 0 ? (
          <p className={styles.quiet}>{t('wall.noAlarms')}</p>
        ) : (
          <ol className={styles.alarms}>
            {alarms.slice(0, 5).map((alarm) => (
              <li key={`${alarm.at} ${alarm.machine} ${alarm.name}`}>
                <Mark tone={alarm.level === 'ERROR' ? 'fault' : 'warn'} />
                <span>
                  {alarm.machine} {lang === 'en' ? alarm.nameEn : alarm.name}
                </span>
                <time>{clockOf(alarm.at).slice(0, 5)}</time>
              </li>
            ))}
          </ol>
        )}
      </Panel>
    </section>
  )
}
