import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { download } from '../../../web/download.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { type JobRow, jobs } from '../contract.ts'
import { FaultsTable } from './FaultsTable.tsx'

/** Render it only while it is open. */
export function FaultsDialog({ job, onClose }: { job: JobRow; onClose: () => void }) {
  const { t } = useTranslation('jobs')
  const active = useActiveTab()
  const read = useRead(jobs.faults, { id: job.id }, { inline: true })
  if (!active) return null
  const footer = job.can.download ? (
    <Button type="primary" onClick={() => void download(`api/jobs/${job.id}/file`)}>
      {t('importing.marked')}
    </Button>
  ) : null
  return (
    <Modal
      open
      title={`${t('faultsTitle')} · ${job.title}`}
      footer={footer}
      onCancel={onClose}
      width={640}
    >
      {read.data ? (
        <FaultsTable faults={read.data.list} />
      ) : read.error ? (
        <Problem error={read.error} title={t('faultsTitle')} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton rows={4} />
      )}
      {(read.data?.list.length ?? 0) >= 200 ? <Lead>{t('faultsMore')}</Lead> : null}
    </Modal>
  )
}
