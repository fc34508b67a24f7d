import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { download } from '../../../web/download.ts'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { formatCount } from '../../../web/Money.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useUser } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines, Part } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { type RunRow, type SubscriptionRow, subscriptions } from '../contract.ts'
import { usePlanText } from './usePlanText.ts'

const stateTones = { ACTIVE: 'online', PAUSED: 'warn', ENDED: 'closed' } as const
const runTones = {
  WAITING: 'offline',
  MAILING: 'shipped',
  DONE: 'success',
  FAILED: 'fault',
} as const

/** One subscription and its last runs. */
export function SubscriptionDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('subscriptions')
  const user = useUser()
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(subscriptions.get, { id: Number(id) }, { inline: true, enabled: known })
  useLive(`jobs:${user.id}`, [subscriptions.get.path, subscriptions.runs.path])
  const row = known ? read.data : undefined
  return (
    <Detail
      open={known}
      {...steps}
      title={row?.name ?? ''}
      status={
        row ? (
          <StatusTag chip tone={stateTones[row.state]}>
            {t(`enums.state.${row.state}`)}
          </StatusTag>
        ) : null
      }
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {row ? <Body row={row} /> : null}
    </Detail>
  )
}

function Body({ row }: { row: SubscriptionRow }) {
  const { t } = useTranslation('subscriptions')
  const plan = usePlanText()
  const runs = useRead(subscriptions.runs, { id: row.id }, { inline: true })
  const ways = [row.inApp && t('fields.inApp'), row.byMail && t('fields.byMail')].filter(Boolean)
  return (
    <>
      <Rows
        items={[
          [t('fields.subject'), row.subject],
          [t('fields.when'), plan(row)],
          [t('fields.period'), t(`enums.period.${row.period}`)],
          [t('fields.ways'), ways.join(' · ')],
          [t('fields.author'), row.author],
          [t('fields.people'), row.people.join(' · ')],
          [t('fields.nextTime'), row.nextTime ? <Time key="at" at={row.nextTime} /> : ''],
        ]}
      />
      <Part title={t('runs')}>
        {runs.data ? (
          runs.data.list.length ? (
            <Lines columns="84px minmax(0, 1fr) auto">
              {runs.data.list.map((run) => (
                <RunLine key={run.id} run={run} />
              ))}
            </Lines>
          ) : (
            <Muted>{t('noRuns')}</Muted>
          )
        ) : (
          <Unread read={runs} rows={3} />
        )}
      </Part>
    </>
  )
}

function RunLine({ run }: { run: RunRow }) {
  const { t } = useTranslation(['subscriptions', 'jobs'])
  const days = run.from === run.to ? run.from : `${run.from} – ${run.to}`
  const said = [
    run.from ? days : null,
    run.rows === null ? null : t('rowsOf', { count: run.rows, total: formatCount(run.rows) }),
    run.mailed === 'NO' ? null : `${t('fields.mailed')}: ${t(`enums.mailed.${run.mailed}`)}`,
    run.problem === 'NONE' ? null : t(`enums.problem.${run.problem}`),
  ].filter(Boolean)
  return (
    <li>
      <StatusTag tone={runTones[run.state]}>{t(`enums.lastState.${run.state}`)}</StatusTag>
      <span>
        <Time at={run.createTime} /> {run.person}
        {run.byHand ? ` · ${t('byHand')}` : ''}
        <br />
        <Muted small>{said.join(' · ')}</Muted>
      </span>
      {run.jobId === null ? (
        <span />
      ) : (
        <Button
          type="link"
          size="small"
          onClick={() => void download(`api/jobs/${run.jobId}/file`)}
        >
          {t('download')}
        </Button>
      )}
    </li>
  )
}
