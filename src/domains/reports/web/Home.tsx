import ReloadOutlined from '@ant-design/icons/es/icons/ReloadOutlined'
import { Button, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Problem } from '../../../web/Problem.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { useMay } from '../../../web/session.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { fullTime } from '../../../web/time.ts'
import { everyOf, type Timing, timings } from '../../../web/timings.ts'
import { Select } from '../../../web/ui/select.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { reports } from '../contract.ts'
import { Attention } from './Attention.tsx'
import { Channels } from './Channels.tsx'
import { DeviceMap } from './DeviceMap.tsx'
import styles from './Home.module.css'
import { HotProducts } from './HotProducts.tsx'
import { Kpis } from './Kpis.tsx'
import { Todos } from './Todos.tsx'
import { Trend } from './Trend.tsx'
import { readAgain, useHomeLive, useTiming } from './useHome.ts'
import { Welcome } from './Welcome.tsx'

/**
 * What happened today and what needs somebody now. Each part reads for itself, so that one failure
 * leaves the others.
 */
export function Home() {
  const may = useMay()
  return may('dashboard:read') ? <Dashboard /> : <Welcome />
}

function Dashboard() {
  const { t } = useTranslation('reports')
  const may = useMay()
  const active = useActiveTab()
  const [timing, setTiming] = useTiming()
  const [days, setDays] = useState<7 | 30>(7)
  const every = active ? everyOf(timing) : false
  useHomeLive(active && timing !== 'off')
  const summary = useRead(reports.summary, {}, { inline: true, every })
  if (summary.data && !summary.data.hasScope)
    return <Welcome goods={may('batch:read') && may('near-expiry:read')} />
  const money = may('dashboard:money')
  const period = (
    <Segmented
      size="small"
      aria-label={t('period.label')}
      value={days}
      onChange={setDays}
      options={[
        { value: 7 as const, label: t('period.d7') },
        { value: 30 as const, label: t('period.d30') },
      ]}
    />
  )
  return (
    <div className={styles.home}>
      <header className={styles.head}>
        <h1>{t('title')}</h1>
        <AsOf at={summary.data?.asOf} failed={summary.isError} />
        <span className={styles.space} />
        <span className={styles.refreshLabel} id="home-refresh">
          {t('refresh.label')}
        </span>
        <Select
          size="small"
          className={styles.refresh ?? ''}
          aria-labelledby="home-refresh"
          value={timing}
          onChange={setTiming}
          options={(Object.keys(timings) as Timing[]).map((key) => ({
            value: key,
            label: t(`refresh.${key}`),
          }))}
        />
        <Tooltip title={t('refresh.now')}>
          <Button
            type="text"
            size="small"
            icon={<ReloadOutlined />}
            aria-label={t('refresh.now')}
            onClick={() => void readAgain()}
          />
        </Tooltip>
      </header>
      {summary.isError && !summary.data ? (
        <section className="hd-sheet">
          <Problem
            error={summary.error}
            title={t('failed')}
            onRetry={() => void summary.refetch()}
          />
        </section>
      ) : (
        <section className={`hd-sheet ${styles.top}`} aria-label={t('title')}>
          <Kpis summary={summary.data} money={money} />
          {summary.data ? <Todos todos={summary.data.todos} asOf={summary.data.asOf} /> : null}
        </section>
      )}
      <div className={styles.columns}>
        <div className={styles.wide}>
          {!money && may('device:read') ? <Attention every={every} /> : null}
          <Trend days={days} every={every} money={money} period={period} />
          {may('device:read') ? <DeviceMap every={every} /> : null}
        </div>
        {money || may('product:read') ? (
          <div className={styles.side}>
            {money ? <Channels days={days} every={every} /> : null}
            {may('product:read') ? <HotProducts days={days} every={every} money={money} /> : null}
          </div>
        ) : null}
      </div>
    </div>
  )
}

function AsOf({ at, failed }: { at: string | undefined; failed: boolean }) {
  const { t } = useTranslation('reports')
  const { lang } = usePrefs()
  if (!at) return null
  const date = new Date(at)
  const day = new Intl.DateTimeFormat(lang, {
    month: 'short',
    day: 'numeric',
    weekday: 'short',
    timeZone: 'Asia/Shanghai',
  }).formatToParts(date)
  const part = (type: string) => day.find((one) => one.type === type)?.value ?? ''
  const text =
    lang === 'en'
      ? `${part('weekday')} ${part('month')} ${part('day')}`
      : `${day
          .filter((one) => one.type !== 'weekday')
          .map((one) => one.value)
          .join('')} ${part('weekday')}`
  return (
    <span className={failed ? styles.stale : styles.asOf} role={failed ? 'alert' : undefined}>
      {text} {t(failed ? 'asOfStale' : 'asOf', { time: fullTime(date).slice(11, 16) })}
    </span>
  )
}
