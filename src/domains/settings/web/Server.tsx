import { Alert, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Sparkline } from '../../../web/charts.tsx'
import { Rows } from '../../../web/Detail.tsx'
import { Figure, FigureRow } from '../../../web/Figure.tsx'
import { Count, formatCount } from '../../../web/Money.tsx'
import { Empty, Problem, Skeleton } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { fullTime } from '../../../web/time.ts'
import { Page } from '../../../web/ui/Page.tsx'
import { RowTable } from '../../../web/ui/RowTable.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { type ServerState, settings } from '../contract.ts'

type Process = ServerState['processes'][number]
const bytes = (n: number): string =>
  n >= 1_073_741_824 ? `${(n / 1_073_741_824).toFixed(1)} GB` : `${Math.round(n / 1_048_576)} MB`

/**
 * How the processes are, as each wrote it down; read again every ten seconds while the page is in
 * front.
 */
export function Server() {
  const { t } = useTranslation('settings')
  const active = useActiveTab()
  const read = useRead(settings.server, {}, { inline: true, every: active ? 10_000 : false })
  const state = read.data
  return (
    <Page lead={state ? fullTime(new Date(state.asOf)) : null}>
      {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
      {read.isPending ? <Skeleton rows={10} /> : null}
      {state?.missing.length ? (
        <Alert
          type="error"
          showIcon
          title={t('server.missing', {
            parts: state.missing.map((part) => t(`server.part.${part}`)).join(' + '),
          })}
        />
      ) : null}
      {state?.processes.length === 0 ? <Empty title={t('server.none')} /> : null}
      {state?.processes.map((process) => (
        <ProcessSheet key={process.process} process={process} asOf={state.asOf} />
      ))}
      {state ? <Shared state={state} /> : null}
      {state ? <Queues queues={state.queues} /> : null}
    </Page>
  )
}

function ProcessSheet({ process, asOf }: { process: Process; asOf: string }) {
  const { t } = useTranslation('settings')
  const { figures, points } = process
  const line = (label: string, of: (point: Process['points'][number]) => number) => (
    <Sparkline label={`${label} ${t('server.last30')}`} values={points.map(of)} />
  )
  const peak = (of: (point: Process['points'][number]) => number) =>
    t('server.peak', { n: formatCount(Math.round(Math.max(0, ...points.map(of)) * 10) / 10) })
  const { reads, writes } = figures
  return (
    <section style={{ marginBottom: 20 }}>
      <Flex component="h2" wrap align="center" gap="4px 10px">
        <StatusTag tone={process.alive ? 'online' : 'offline'} chip>
          {process.alive ? t('server.running') : t('server.stopped')}
        </StatusTag>
        {process.parts.map((part) => t(`server.part.${part}`)).join(' + ')}
        <Muted small>
          {figures.host} · {figures.pid} · Node {figures.node} · {t('server.version')}{' '}
          {process.version}
        </Muted>
      </Flex>
      <FigureRow>
        <Figure
          label={t('server.cpu')}
          value={`${figures.cpu}%`}
          note={`${peak((p) => p.cpu)}%`}
          chart={line(t('server.cpu'), (p) => p.cpu)}
        />
        <Figure
          label={t('server.memory')}
          value={bytes(figures.memory)}
          note={`heap ${bytes(figures.heap)}`}
          chart={line(t('server.memory'), (p) => p.memory)}
        />
        <Figure
          label={t('server.loop')}
          value={`${figures.loopMs} ms`}
          note={`${peak((p) => p.loopMs)} ms`}
          chart={line(t('server.loop'), (p) => p.loopMs)}
        />
        <Figure
          label={t('server.pool')}
          value={`${reads.total + writes.total}`}
          note={t('server.poolNote', {
            reads: reads.total,
            writes: writes.total,
            waiting: reads.waiting + writes.waiting,
          })}
          chart={line(t('server.waiting'), (p) => p.waiting)}
        />
      </FigureRow>
      <FigureRow>
        <Figure
          label={t('server.since')}
          value={<Since from={process.startedAt} to={process.alive ? asOf : process.seenAt} />}
          note={fullTime(new Date(process.startedAt))}
        />
        {process.parts.includes('api') ? (
          <Figure
            label={t('server.requests')}
            value={formatCount(figures.requests)}
            note={t('server.requestNote', { slow: figures.slow, failed: figures.failed })}
          />
        ) : null}
        {figures.machines === null ? null : (
          <Figure label={t('server.machines')} value={formatCount(figures.machines)} />
        )}
      </FigureRow>
    </section>
  )
}

function Since({ from, to }: { from: string; to: string }) {
  const { t } = useTranslation('settings')
  const minutes = Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 60_000))
  if (minutes >= 1440)
    return t('server.days', { n: Math.floor(minutes / 1440), h: Math.floor((minutes % 1440) / 60) })
  return minutes >= 60
    ? t('server.hours', { h: Math.floor(minutes / 60), m: minutes % 60 })
    : t('server.minutes', { m: minutes })
}

function Shared({ state }: { state: ServerState }) {
  const { t } = useTranslation('settings')
  const { database, migrations, disk } = state
  const rows: [string, string][] = [
    [t('server.database'), `PostgreSQL ${database.version}`],
    [t('server.size'), bytes(database.bytes)],
    [t('server.connections'), `${database.connections} / ${database.most}`],
    [t('server.migrations'), t('server.applied', { n: migrations.applied, last: migrations.last })],
    [t('server.disk'), t('server.free', { free: bytes(disk.free), total: bytes(disk.total) })],
    [t('server.environment'), state.environment],
  ]
  return <Rows title={t('server.shared')} items={rows} />
}

function Queues({ queues }: { queues: ServerState['queues'] }) {
  const { t } = useTranslation('settings')
  return (
    <section>
      <h2>{t('server.queues')}</h2>
      <RowTable
        label={t('server.queues')}
        density="compact"
        busy={false}
        empty={null}
        rows={queues}
        keyOf={({ name }) => name}
        onSort={() => undefined}
        columns={[
          {
            key: 'name',
            title: t('server.queue'),
            width: 200,
            cell: ({ name }) => <span className="hd-mono">{name}</span>,
          },
          ...(['waiting', 'active', 'failed'] as const).map((key) => ({
            key,
            title: t(`server.${key}`),
            width: 104,
            align: 'right' as const,
            cell: (queue: ServerState['queues'][number]) => (
              <Bad when={key === 'failed' && queue.failed > 0}>
                <Count value={queue[key]} />
              </Bad>
            ),
          })),
          {
            key: 'lastAt',
            title: t('server.lastAt'),
            width: 184,
            cell: ({ lastAt }) => (lastAt ? fullTime(new Date(lastAt)) : '—'),
          },
        ]}
      />
    </section>
  )
}
