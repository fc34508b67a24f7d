import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { formatCount } from '../../../web/Money.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import styles from './wall.module.css'
import { ceiling, line } from './wallRules.ts'

/** Drawn as lines of the page: sharp at every size of screen, and nothing to load. */

/** 15000 as `1.5万` or `15k`. */
function short(value: number, lang: string): string {
  if (value < 10_000) return formatCount(Math.round(value))
  const n = lang === 'en' ? value / 1000 : value / 10_000
  return `${Number(n.toFixed(1))}${lang === 'en' ? 'k' : '\u4e07'}`
}

function Axis({ most, height, width }: { most: number; height: number; width: number }) {
  const { lang } = usePrefs()
  return [0, 0.25, 0.5, 0.75, 1].map((share) => (
    <g key={share}>
      <line
        className={styles.grid}
        x1={0}
        x2={width}
        y1={height - height * share}
        y2={height - height * share}
      />
      <text className={styles.tick} x={-12} y={height - height * share + 5} textAnchor="end">
        {short(most * share, lang)}
      </text>
    </g>
  ))
}

type Bar = { label: string; value: number; unfinished?: boolean }
export function Bars({
  bars,
  scale = 1,
  label,
}: {
  bars: readonly Bar[]
  scale?: number
  label: string
}) {
  const [width, height] = [352, 92]
  const most = ceiling(Math.max(...bars.map(({ value }) => value / scale), 0))
  const slot = width / bars.length
  return (
    <svg viewBox="-64 -12 424 136" className={styles.chart} role="img" aria-label={label}>
      <Axis most={most} height={height} width={width} />
      {bars.map(({ label: name, value, unfinished }, i) => {
        const high = (height * (value / scale)) / most
        return (
          <g key={name}>
            <rect
              className={unfinished ? styles.barToday : styles.bar}
              x={i * slot + slot / 2 - 11}
              y={height - high}
              width={22}
              height={Math.max(0, high)}
              rx={3}
            />
            <text
              className={styles.tick}
              x={i * slot + slot / 2}
              y={height + 24}
              textAnchor="middle"
            >
              {name}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

/** Hours of today over those of yesterday; the running hour is not drawn. */
export function Hours({
  today,
  yesterday,
  label,
}: {
  today: readonly number[]
  yesterday: readonly number[]
  label: string
}) {
  const [width, height] = [368, 186]
  const most = ceiling(Math.max(...today, ...yesterday, 0))
  const of = { width, height, slots: 24, most }
  const whole = today.slice(0, -1)
  const end = (width / 23) * Math.max(0, whole.length - 1)
  return (
    <svg viewBox="-56 -12 432 238" className={styles.chart} role="img" aria-label={label}>
      <Axis most={most} height={height} width={width} />
      <path className={styles.compare} d={line(yesterday, of)} />
      {whole.length > 1 ? (
        <path
          className={styles.area}
          d={`${line(whole, of)}L${end.toFixed(1)} ${height}L0 ${height}Z`}
        />
      ) : null}
      <path className={styles.line} d={line(whole, of)} />
      {[0, 4, 8, 12, 16, 20].map((hour) => (
        <text
          key={hour}
          className={styles.tick}
          x={(width / 23) * hour}
          y={height + 26}
          textAnchor="middle"
        >
          {String(hour).padStart(2, '0')}
        </text>
      ))}
    </svg>
  )
}

export function Month({ values, label }: { values: readonly number[]; label: string }) {
  const [width, height] = [424, 52]
  const of = { width, height, slots: values.length, most: Math.max(...values, 1) * 1.08 }
  return (
    <svg viewBox="0 -4 424 60" className={styles.chart} role="img" aria-label={label}>
      <line className={styles.grid} x1={0} x2={width} y1={height} y2={height} />
      <path className={styles.area} d={`${line(values, of)}L${width} ${height}L0 ${height}Z`} />
      <path className={styles.line} d={line(values, of)} />
    </svg>
  )
}

/** Shares as sorted bars. */
export function Ranking({
  rows,
  money = false,
}: {
  rows: readonly { name: string; value: number }[]
  money?: boolean
}) {
  const { t } = useTranslation('workbench')
  const most = Math.max(1, ...rows.map(({ value }) => value))
  if (rows.length === 0) return <p className={styles.quiet}>{t('wall.quiet')}</p>
  return (
    <ol className={styles.ranking} data-money={money}>
      {rows.map(({ name, value }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two goods may have one name
        <li key={i}>
          <span>{name}</span>
          <i>
            <b style={{ width: `${(100 * value) / most}%` }} />
          </i>
          <strong>{money ? yuan(value) : formatCount(value)}</strong>
        </li>
      ))}
    </ol>
  )
}

const mostShares = 3
/** Shares of a whole, the largest first, in percent. */
export function Shares({ rows }: { rows: readonly (readonly [string, number])[] }) {
  const { t } = useTranslation('workbench')
  const whole = rows.reduce((sum, [, value]) => sum + value, 0)
  if (whole === 0) return <p className={styles.quiet}>{t('wall.quiet')}</p>
  return (
    <ol className={styles.ranking}>
      {rows.slice(0, mostShares).map(([name, value]) => (
        <li key={name}>
          <span>{name}</span>
          <i>
            <b style={{ width: `${(100 * value) / whole}%` }} />
          </i>
          <strong>{((100 * value) / whole).toFixed(1)}%</strong>
        </li>
      ))}
    </ol>
  )
}
