import { Button, type TableColumnsType as ColumnsType, Flex, Table } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { hasText } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { formatCount } from '../../../web/Money.tsx'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Time } from '../../../web/Time.tsx'
import { Page } from '../../../web/ui/Page.tsx'
import { Cut, Lead, Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { type ConsoleLoop, type ConsoleSchedule, jobs } from '../contract.ts'
import { timeOfCron } from '../rules.ts'

/** A process tells its loops every ten seconds; silent for longer, it is gone or stuck. */
const silentMs = 45_000
const tones = {
  WAITING: 'offline',
  RUNNING: 'shipped',
  DONE: 'success',
  FAILED: 'fault',
  CANCELLED: 'closed',
} as const

/** Clockwork of all processes, for super administrators. */
export function JobConsole() {
  const { t } = useTranslation('jobs')
  const every = useActiveTab() ? 5000 : false
  const read = useRead(jobs.console, {}, { inline: true, keep: true, every })
  useLive('job-console', [jobs.console.path])
  return (
    <Page>
      {read.error && !read.data ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : null}
      {read.isPending ? <Skeleton rows={8} /> : null}
      {read.data ? (
        <>
          <h2>{t('console.schedules')}</h2>
          <Lead>{t('console.schedulesHint')}</Lead>
          <Schedules rows={read.data.schedules} />
          <h2 style={{ marginTop: 24 }}>{t('console.loops')}</h2>
          <Lead>{t('console.loopsHint')}</Lead>
          <Loops rows={read.data.loops} />
        </>
      ) : null}
    </Page>
  )
}

function useName(): (name: string) => string {
  const { t } = useTranslation('jobs')
  return (name) => (hasText(`jobs:what.${name}`) ? t(`what.${name}`) : name)
}

/** Two lines of one cell. */
const Two = ({ first, second }: { first: ReactNode; second: ReactNode }) => (
  <Flex vertical align="start">
    {first}
    {second ? <Muted small>{second}</Muted> : null}
  </Flex>
)

function Name({ name }: { name: string }) {
  const title = useName()(name)
  return <Two first={title} second={title === name ? null : name} />
}

/** What a plan says in words; a rarer one stands as it was written. */
function Plan({ cron }: { cron: string }) {
  const { t } = useTranslation('jobs')
  const found = timeOfCron(cron)
  if (!found) return <code>{cron}</code>
  const weekday = t('console.weekdays').split(',')[Number(found.n)]
  return <span title={cron}>{t(`console.plan.${found.each}`, { ...found, weekday })}</span>
}

function Schedules({ rows }: { rows: readonly ConsoleSchedule[] }) {
  const { t } = useTranslation('jobs')
  const columns: ColumnsType<ConsoleSchedule> = [
    { key: 'name', title: t('console.name'), width: 180, render: (_, row) => <Name {...row} /> },
    { key: 'cron', title: t('console.cron'), width: 152, render: (_, row) => <Plan {...row} /> },
    {
      key: 'last',
      title: t('console.last'),
      width: 116,
      render: (_, row) => (row.lastRun ? <Time at={row.lastRun} /> : '—'),
    },
    {
      key: 'result',
      title: t('console.result'),
      width: 200,
      render: (_, row) => <Result row={row} />,
    },
    {
      key: 'next',
      title: t('console.next'),
      width: 150,
      render: (_, row) =>
        row.paused ? (
          <StatusTag tone="locked">{t('console.pausedBy', { name: row.pausedBy ?? '' })}</StatusTag>
        ) : row.nextRun ? (
          <Time at={row.nextRun} />
        ) : (
          '—'
        ),
    },
    {
      key: 'counts',
      title: t('console.counts'),
      width: 132,
      render: (_, row) => `${row.waiting} / ${row.running} / ${row.failed}`,
    },
    {
      key: 'actions',
      title: t('web:list.actions'),
      width: 210,
      render: (_, row) => <Actions row={row} />,
    },
  ]
  return (
    <Table
      size="small"
      rowKey="name"
      columns={columns}
      dataSource={rows}
      pagination={false}
      scroll={{ x: 1120 }}
      locale={{ emptyText: t('console.emptySchedules') }}
    />
  )
}

function Result({ row }: { row: ConsoleSchedule }) {
  const { t } = useTranslation('jobs')
  if (!row.lastState) return '—'
  const seconds =
    row.lastSeconds === null ? null : t('console.seconds', { seconds: row.lastSeconds })
  return (
    <Two
      first={
        <StatusTag tone={tones[row.lastState]}>{t(`console.states.${row.lastState}`)}</StatusTag>
      }
      second={row.lastError ? <span title={row.lastError}>{row.lastError}</span> : seconds}
    />
  )
}

function Actions({ row }: { row: ConsoleSchedule }) {
  const { t } = useTranslation('jobs')
  const may = useMay()
  const name = useName()(row.name)
  const asks = (key: string, act: string) => ({
    ask: t(`console.${key}`, { name, count: row.failed }),
    danger: false,
    success: `jobs:success.${act}`,
  })
  const runNow = useAct(jobs.runNow, asks('runAsk', 'runNow'))
  const pause = useAct(jobs.pause, asks('pauseAsk', 'pause'))
  const again = useAct(jobs.retryFailed, asks('retryAsk', 'retryFailed'))
  const resume = useWrite(jobs.resume, { success: 'jobs:success.resume' })
  if (!may('job-console:update')) return null
  const press = (label: string, run: () => void) => (
    <Button type="link" size="small" onClick={run}>
      {t(label)}
    </Button>
  )
  return (
    <Flex wrap gap="2px 8px">
      {press('console.runNow', () => void runNow(row))}
      {row.paused
        ? press('console.resume', () => resume.mutate({ name: row.name }))
        : press('console.pause', () => void pause(row))}
      {row.failed > 0 ? press('console.retryFailed', () => void again(row)) : null}
    </Flex>
  )
}

function Loops({ rows }: { rows: readonly ConsoleLoop[] }) {
  const { t } = useTranslation('jobs')
  const silent = (row: ConsoleLoop) => Date.now() - Date.parse(row.told) > silentMs
  const number = (key: string, width: number, text: (row: ConsoleLoop) => string) => ({
    key,
    title: t(`console.${key}`),
    width,
    align: 'right' as const,
    render: (_: unknown, row: ConsoleLoop) => text(row),
  })
  const columns: ColumnsType<ConsoleLoop> = [
    { key: 'name', title: t('console.name'), width: 190, render: (_, row) => <Name {...row} /> },
    {
      key: 'process',
      title: t('console.process'),
      width: 190,
      render: (_, row) => (
        <Two
          first={row.process}
          second={silent(row) ? <StatusTag tone="warn">{t('console.gone')}</StatusTag> : null}
        />
      ),
    },
    number('every', 90, (row) => t('console.seconds', { seconds: row.everyMs / 1000 })),
    number('runs', 100, (row) => formatCount(row.runs)),
    number('failures', 80, (row) => formatCount(row.failures)),
    {
      key: 'last',
      title: t('console.last'),
      width: 110,
      render: (_, row) => (row.lastRun ? <Time at={row.lastRun} /> : '—'),
    },
    number('duration', 90, (row) => (row.lastMs === null ? '—' : `${formatCount(row.lastMs)} ms`)),
    {
      key: 'error',
      title: t('console.lastError'),
      width: 260,
      ellipsis: true,
      render: (_, row) =>
        row.lastErrorTime ? (
          <Two first={<Time at={row.lastErrorTime} />} second={<Cut>{row.lastError}</Cut>} />
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
      dataSource={rows}
      pagination={false}
      scroll={{ x: 1110 }}
      locale={{ emptyText: t('console.emptyLoops') }}
    />
  )
}
