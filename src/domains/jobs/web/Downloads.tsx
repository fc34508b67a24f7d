import { Button, Flex, Progress } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { download } from '../../../web/download.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { formatBytes, formatCount } from '../../../web/Money.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { Bad } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import { JobRow, jobs } from '../contract.ts'

const FaultsDialog = lazyDialog(() => import('./FaultsDialog.tsx').then((m) => m.FaultsDialog))
const fetchFile = (row: JobRow) => void download(`api/jobs/${row.id}/file`)

/** Own exports and imports, newest first. */
export function Downloads() {
  const { t } = useTranslation(['jobs', 'web'])
  const col = useCols(JobRow, 'jobs')
  const may = useMay()
  const user = useUser()
  const cancel = useAct(jobs.cancel, {
    ask: t('cancelAsk'),
    name: (row: JobRow) => row.title,
    success: 'jobs:success.cancel',
  })
  const retry = useWrite(jobs.retry, { success: 'jobs:success.retry' })
  const [shown, setShown] = useState<JobRow | null>(null)
  return (
    <>
      <ListPage
        ns="jobs"
        endpoint={jobs.list}
        live={`jobs:${user.id}`}
        header={
          <Flex gap={8} wrap>
            <Link to="/subscriptions">
              <Button>{t('toSubscriptions')}</Button>
            </Link>
            {may('job-console:read') ? (
              <Link to="/system/job-console">
                <Button>{t('toConsole')}</Button>
              </Link>
            ) : null}
          </Flex>
        }
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        filters={['kind', 'state']}
        columns={[
          col('title'),
          col('kind'),
          col('state'),
          col('progress', { width: 184, render: (_, row) => <Done job={row} /> }),
          col('fileName', { fit: String, render: (_, row) => <File job={row} /> }),
          col('fileBytes', { defaultHidden: true, render: (_, row) => size(row.fileBytes) }),
          col('expireTime'),
          col('createTime'),
          col('error'),
          col('finishTime', { defaultHidden: true }),
        ]}
        actions={(row) => [
          {
            key: 'download',
            label: t('download'),
            can: row.can.download,
            onClick: () => fetchFile(row),
          },
          {
            key: 'faults',
            label: t('faults'),
            can: row.kind === 'IMPORT' && row.failed > 0,
            onClick: () => setShown(row),
          },
          {
            key: 'retry',
            label: t('web:action.retry'),
            can: row.can.retry,
            onClick: () => retry.mutate({ id: row.id }),
          },
          {
            key: 'cancel',
            label: t('web:action.cancel'),
            danger: true,
            can: row.can.cancel,
            onClick: () => void cancel(row),
          },
        ]}
        card={['kind', 'error', 'createTime', 'progress', 'fileName']}
      />
      {shown ? <FaultsDialog job={shown} onClose={() => setShown(null)} /> : null}
    </>
  )
}

function File({ job }: { job: JobRow }) {
  const { t } = useTranslation('jobs')
  const gone = job.state === 'DONE' && job.kind === 'EXPORT' ? t('expired') : '—'
  return job.can.download ? (
    <a
      href={`api/jobs/${job.id}/file`}
      title={job.fileName ?? ''}
      onClick={(event) => {
        event.preventDefault()
        fetchFile(job)
      }}
    >
      {job.fileName}
    </a>
  ) : (
    <span className="hd-none">{gone}</span>
  )
}

function Done({ job }: { job: JobRow }) {
  const { t } = useTranslation('jobs')
  const [done, total] = [formatCount(job.done), formatCount(job.total)]
  if (job.state === 'DONE' || job.failed > 0)
    return (
      <>
        {t('rowsTotal', { total, count: job.total })}{' '}
        {job.failed > 0 ? <Bad>{t('rowsFailed', { failed: formatCount(job.failed) })}</Bad> : null}
      </>
    )
  const share = job.total > 0 ? Math.min(1, job.done / job.total) : 0
  return (
    <Progress
      aria-label={t('fields.progress')}
      size="small"
      percent={Math.round(share * 100)}
      status={job.state === 'RUNNING' ? 'active' : 'normal'}
      format={() => `${done} / ${total}`}
    />
  )
}

const size = (bytes: number | null): string => (bytes === null ? '—' : formatBytes(bytes))
