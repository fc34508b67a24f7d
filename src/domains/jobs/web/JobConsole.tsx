import { Button, Skeleton, Table } from 'antd'
import type { ColumnsType } from 'antd/es/table'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { hasText } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { formatCount } from '../../../web/Money.tsx'
import { Problem } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Time } from '../../../web/Time.tsx'
import { type ConsoleLoop, type ConsoleSchedule, jobs } from '../contract.ts'
import styles from './jobs.module.css'

/** A process tells its loops every ten seconds; silent for longer, it is gone or stuck. */
const silentMs = 45_000
const tones = { WAITING: 'offline', RUNNING: 'shipped', DONE: 'success', FAILED: 'fault', CANCELLED: 'closed' } as const

/** Clockwork of all processes, for super administrators. */
export function JobConsole() {
  const { t } = useTranslation('jobs')
  const active = useActiveTab()
  const read = useRead(jobs.console, {}, { inline: true, keep: true, every: active ? 5000 : false })
  useLive('job-console', [jobs.console.path])
  const data = read.data
  return (
    <section className={`hd-sheet ${styles.console}`} aria-label={t('console.title')}>
      <h1>{t('console.title')}</h1>
      {read.error && !data ? <Problem error={read.error} title={t('console.title')} onRetry={() => void read.refetch()} /> : null}
      {!data && !read.error ? <Skeleton active paragraph={{ rows: 8 }} /> : null}
      {data ? (
        <>
          <header>
            <h2>{t('console.schedules')}</h2>
            <p>{t('console.schedulesHint')}</p>
          </header>
          <Schedules rows={data.schedules} />
          <header>
            <h2>{t('console.loops')}</h2>
            <p>{t('console.loopsHint')}</p>
          </header>
          <Loops rows={data.loops} />
        </>
      ) : null}
    </section>
  )
}

function useName(): (name: string) => string {
  const { t } = useTranslation('jobs')
  return (name) => (hasText(`jobs:what.${name}`) ? t(`what.${name}`) : name)
}

function Name({ name }: { name: string }) {
  const title = useName()(name)
  return (
    <span className={styles.name}>
      <span>{title}</span>
      {title === name ? null : <code>{name}</code>}
    </span>
  )
}

function Schedules({ rows }: { rows: readonly ConsoleSchedule[] }) {
  const { t } = useTranslation('jobs')
  const columns: ColumnsType<ConsoleSchedule> = [
    { key: 'name', title: t('console.name'), width: 180, render: (_, row) => <Name name={row.name} /> },
    { key: 'cron', title: t('console.cron'), width: 112, render: (_, row) => <code>{row.cron}</code> },
    { key: 'last', title: t('console.last'), width: 116, render: (_, row) => (row.lastRun ? <Time at={row.lastRun} /> : '—') },
    {
      key: 'result',
      title: t('console.result'),
      width: 200,
      render: (_, row) => (
        <span className={styles.result}>
          {row.lastState ? <StatusTag tone={tones[row.lastState]}>{t(`console.states.${row.lastState}`)}</StatusTag> : '—'}
          {row.lastError ? (
            <small title={row.lastError}>{row.lastError}</small>
          ) : row.lastSeconds === null ? null : (
            <small>{t('console.seconds', { seconds: row.lastSeconds })}</small>
          )}
        </span>
      ),
    },
    {
      key: 'next',
      title: t('console.next'),
      width: 150,
      render: (_, row) =>
        row.paused ? <StatusTag tone="locked">{t('console.pausedBy', { name: row.pausedBy ?? '' })}</StatusTag> : row.nextRun ? <Time at={row.nextRun} /> : '—',
    },
    { key: 'counts', title: t('console.counts'), width: 132, render: (_, row) => `${row.waiting} / ${row.running} / ${row.failed}` },
    { key: 'actions', title: '', width: 210, render: (_, row) => <Actions row={row} /> },
  ]
  return (
    <Table
      size="small"
      rowKey="name"
      columns={columns}
      dataSource={[...rows]}
      pagination={false}
      scroll={{ x: 1080 }}
      locale={{ emptyText: t('console.emptySchedules') }}
    />
  )
}

function Actions({ row }: { row: ConsoleSchedule }) {
  const { t } = useTranslation('jobs')
  const may = useMay()
  const confirm = useConfirm()
  const title = useName()(row.name)
  const runNow = useWrite(jobs.runNow, { success: 'jobs:success.runNow' })
  const pause = useWrite(jobs.pause, { success: 'jobs:success.pause' })
  const resume = useWrite(jobs.resume, { success: 'jobs:success.resume' })
  const again = useWrite(jobs.retryFailed, { success: 'jobs:success.retryFailed' })
  if (!may('job-console:update')) return null
  const { name } = row
  const press = (label: string, question: string | null, run: () => void) => (
    <Button type="link" size="small" onClick={async () => (question === null || (await confirm({ title: question }))) && run()}>
      {label}
    </Button>
  )
  return (
    <span className={styles.actions}>
      {press(t('console.runNow'), t('console.runAsk', { name: title }), () => runNow.mutate({ name }))}
      {row.paused
        ? press(t('console.resume'), null, () => resume.mutate({ name }))
        : press(t('console.pause'), t('console.pauseAsk', { name: title }), () => pause.mutate({ name }))}
      {row.failed > 0 ? press(t('console.retryFailed'), t('console.retryAsk', { name: title, count: row.failed }), () => again.mutate({ name })) : null}
    </span>
  )
}

function Loops({ rows }: { rows: readonly ConsoleLoop[] }) {
  const { t } = useTranslation('jobs')
  const silent = (row: ConsoleLoop) => Date.now() - Date.parse(row.told) > silentMs
  const right = { align: 'right' as const }
  const columns: ColumnsType<ConsoleLoop> = [
    { key: 'name', title: t('console.name'), width: 190, render: (_, row) => <Name name={row.name} /> },
    {
      key: 'process',
      title: t('console.process'),
      width: 190,
      render: (_, row) => (
        <span className={styles.name}>
          <span className={styles.muted}>{row.process}</span>
          {silent(row) ? <StatusTag tone="warn">{t('console.gone')}</StatusTag> : null}
        </span>
      ),
    },
    { key: 'every', title: t('console.every'), width: 90, ...right, render: (_, row) => t('console.seconds', { seconds: row.everyMs / 1000 }) },
    { key: 'runs', title: t('console.runs'), width: 100, ...right, render: (_, row) => formatCount(row.runs) },
    { key: 'failures', title: t('console.failures'), width: 80, ...right, render: (_, row) => formatCount(row.failures) },
    { key: 'last', title: t('console.last'), width: 110, render: (_, row) => (row.lastRun ? <Time at={row.lastRun} /> : '—') },
    { key: 'ms', title: t('console.duration'), width: 90, ...right, render: (_, row) => (row.lastMs === null ? '—' : `${formatCount(row.lastMs)} ms`) },
    {
      key: 'error',
      title: t('console.lastError'),
      width: 260,
      render: (_, row) =>
        row.lastErrorTime ? (
          <span className={styles.result}>
            <Time at={row.lastErrorTime} />
            <small title={row.lastError}>{row.lastError}</small>
          </span>
        ) : (
          '—'
        ),
    },
  ]
  return (
    <Table
      size="small"
      rowKey={(row) => `${row.name} ${row.process}`}
      columns={columns}
      dataSource={[...rows]}
      pagination={false}
      scroll={{ x: 1110 }}
      locale={{ emptyText: t('console.emptyLoops') }}
    />
  )
}
