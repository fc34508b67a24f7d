import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { download } from '../../../web/download.ts'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { JobRow, jobs } from '../contract.ts'
import styles from './jobs.module.css'
import { stateTones } from './tones.ts'

const FaultsDialog = lazyDialog(() => import('./FaultsDialog.tsx').then((m) => m.FaultsDialog))

/** Own exports and imports, newest first. */
export function Downloads() {
  const { t } = useTranslation(['jobs', 'web'])
  const col = useCols(JobRow, 'jobs')
  const may = useMay()
  const user = useUser()
  const confirm = useConfirm()
  const cancel = useWrite(jobs.cancel, { success: 'jobs:success.cancel' })
  const retry = useWrite(jobs.retry, { success: 'jobs:success.retry' })
  const [shown, setShown] = useState<JobRow | null>(null)
  const fetchFile = (row: JobRow) => void download(`api/jobs/${row.id}/file`)
  const askCancel = async (row: JobRow) => {
    if (await confirm({ title: t('cancelAsk'), content: row.title, danger: true })) cancel.mutate({ id: row.id })
  }
  const toConsole = may('job-console:read') ? (
    <Link to="/system/job-console">
      <Button>{t('toConsole')}</Button>
    </Link>
  ) : null
  const file = (row: JobRow) =>
    row.can.download ? (
      <Button type="link" size="small" className={styles.file ?? ''} title={row.fileName ?? ''} onClick={() => fetchFile(row)}>
        {row.fileName}
      </Button>
    ) : (
      <span className="hd-none">{row.state === 'DONE' && row.kind === 'EXPORT' ? t('expired') : '—'}</span>
    )
  return (
    <>
      <ListPage
        title={t('title')}
        ns="jobs"
        endpoint={jobs.list}
        rowKey="id"
        live={`jobs:${user.id}`}
        header={toConsole}
        empty={{ title: t('empty'), hint: t('emptyHint') }}
        filters={[{ key: 'kind' }, { key: 'state' }]}
        columns={[
          col('title', { width: 152 }),
          col('kind', { width: 64 }),
          col('state', { width: 108 }),
          col('progress', { title: t('fields.progress'), width: 184, render: (_, row) => <Progress job={row} /> }),
          col('fileName', { width: 240, render: (_, row) => file(row) }),
          col('fileBytes', { width: 80, defaultHidden: true, render: (_, row) => (row.fileBytes === null ? '—' : size(row.fileBytes)) }),
          col('expireTime', { width: 112, render: (_, row) => (row.expireTime ? <Time at={row.expireTime} /> : <span className="hd-none">—</span>) }),
          col('createTime', { width: 112 }),
          col('error', { width: 170 }),
          col('finishTime', { width: 112, defaultHidden: true }),
        ]}
        actions={(row) => [
          { key: 'download', label: t('download'), can: row.can.download, onClick: () => fetchFile(row) },
          { key: 'faults', label: t('faults'), can: row.kind === 'IMPORT' && row.failed > 0, onClick: () => setShown(row) },
          { key: 'retry', label: t('retry'), can: row.can.retry, onClick: () => retry.mutate({ id: row.id }) },
          { key: 'cancel', label: t('cancel'), danger: true, can: row.can.cancel, onClick: () => void askCancel(row) },
        ]}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <strong>{row.title}</strong>
              <StatusTag tone={stateTones[row.state]}>{t(`enums.state.${row.state}`)}</StatusTag>
            </div>
            <p>
              {t(`enums.kind.${row.kind}`)} · <Time at={row.createTime} />
            </p>
            <div>
              <Progress job={row} />
            </div>
            {row.error ? <p className={styles.error}>{row.error}</p> : null}
            {row.can.download ? <div className={styles.cardFile}>{file(row)}</div> : null}
            {actions}
          </>
        )}
      />
      {shown ? <FaultsDialog job={shown} onClose={() => setShown(null)} /> : null}
    </>
  )
}

function Progress({ job }: { job: JobRow }) {
  const { t } = useTranslation('jobs')
  if (job.state === 'DONE' || job.failed > 0)
    return (
      <span className={styles.figures}>
        {t('rowsTotal', { total: formatCount(job.total) })}
        {job.failed > 0 ? <em>{t('rowsFailed', { failed: formatCount(job.failed) })}</em> : null}
      </span>
    )
  const share = job.total > 0 ? Math.min(1, job.done / job.total) : 0
  return (
    <span className={styles.progress}>
      <span className={styles.bar} data-running={job.state === 'RUNNING'} aria-hidden="true">
        <span style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
      <span className={styles.figures}>{t('progress', { done: formatCount(job.done), total: formatCount(job.total) })}</span>
    </span>
  )
}

const size = (bytes: number): string => (bytes < 1_048_576 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`)
