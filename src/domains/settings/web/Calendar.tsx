import LeftOutlined from '@ant-design/icons/es/icons/LeftOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Page } from '../../../web/ui/Page.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { type DayType, settings } from '../contract.ts'
import styles from './calendar.module.css'

const ImportCalendar = lazyDialog(() =>
  import('./ImportCalendar.tsx').then((m) => m.ImportCalendar),
)
const DayDialog = lazyDialog(() => import('./DayDialog.tsx').then((m) => m.DayDialog))
type Day = { day: string; type: DayType; name: string }

/** A year at a glance: which days are holidays, which weekends are worked. */
export function Calendar() {
  const { t } = useTranslation('settings')
  const today = shanghaiDay(new Date())
  const [year, setYear] = useState(Number(today.slice(0, 4)))
  const [importing, setImporting] = useState(false)
  const [chosen, setChosen] = useState<Day | null>(null)
  useLive('settings', [settings.calendar.path])
  const read = useRead(settings.calendar, { year }, { inline: true, keep: true })
  const answer = read.data
  const count = (type: DayType) => answer?.days.filter((day) => day.type === type).length ?? 0
  return (
    <Page
      tools={
        <>
          <Muted>
            {answer?.known
              ? t('calendar.counts', { holiday: count('HOLIDAY'), makeup: count('MAKEUP') })
              : null}
          </Muted>
          <Button
            icon={<LeftOutlined />}
            aria-label={t('calendar.previous')}
            disabled={year <= 2000}
            onClick={() => setYear(year - 1)}
          />
          <strong>{year}</strong>
          <Button
            icon={<RightOutlined />}
            aria-label={t('calendar.next')}
            disabled={year >= 2100}
            onClick={() => setYear(year + 1)}
          />
          {answer?.can.import ? (
            <Button type="primary" onClick={() => setImporting(true)}>
              {t('calendar.import')}
            </Button>
          ) : null}
        </>
      }
    >
      {answer && !answer.known && !read.isPlaceholderData ? (
        <Alert type="warning" showIcon title={t('calendar.unknown', { year })} />
      ) : null}
      {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
      {read.isPending ? <Skeleton rows={10} /> : null}
      {answer ? (
        <>
          <Legend />
          <div className={styles.months}>
            {[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((month) => (
              <Month
                key={`${answer.year} ${month}`}
                month={month}
                days={answer.days.filter((day) => Number(day.day.slice(5, 7)) === month)}
                today={today}
                {...(answer.can.import && answer.known ? { onChoose: setChosen } : {})}
              />
            ))}
          </div>
        </>
      ) : null}
      {importing && answer ? (
        <ImportCalendar year={year} days={answer.days} onClose={() => setImporting(false)} />
      ) : null}
      {chosen && answer ? (
        <DayDialog
          key={chosen.day}
          chosen={chosen}
          year={year}
          days={answer.days}
          onClose={() => setChosen(null)}
        />
      ) : null}
    </Page>
  )
}

/** Colour is never alone: a holiday has a dot, a worked weekend a bar, and both say their name. */
function Legend() {
  const { t } = useTranslation('settings')
  return (
    <p className={styles.legend}>
      {(['WORKDAY', 'REST', 'HOLIDAY', 'MAKEUP'] as const).map((type) => (
        <span key={type}>
          <i className={styles.day} data-type={type}>
            1
          </i>
          {t(`enums.type.${type}`)}
        </span>
      ))}
    </p>
  )
}

type MonthProps = {
  month: number
  days: readonly Day[]
  today: string
  onChoose?: (day: Day) => void
}

function Month({ month, days, today, onChoose }: MonthProps) {
  const { t } = useTranslation('settings')
  const name = t('calendar.months').split(',')[month - 1]
  const Cell = onChoose ? 'button' : 'span'
  const first = new Date(`${days[0]?.day}T00:00:00Z`).getUTCDay()
  return (
    <section className={styles.month} aria-label={name}>
      <h2>{name}</h2>
      <div className={styles.grid}>
        {t('calendar.weekdays')
          .split(',')
          .map((weekday) => (
            <span key={weekday} className={styles.weekday}>
              {weekday}
            </span>
          ))}
        {days.map((day, index) => {
          const words = `${day.day} ${t(`enums.type.${day.type}`)}${day.name ? ` ${day.name}` : ''}`
          return (
            <Cell
              key={day.day}
              {...(onChoose ? { type: 'button' as const, onClick: () => onChoose(day) } : {})}
              className={styles.day}
              data-type={day.type}
              data-today={day.day === today}
              title={words}
              style={index === 0 ? { gridColumnStart: ((first + 6) % 7) + 1 } : undefined}
            >
              <span aria-hidden="true">{Number(day.day.slice(8))}</span>
              <span className="hd-visually-hidden">{words}</span>
            </Cell>
          )
        })}
      </div>
    </section>
  )
}
