import { Alert, Button, Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { Rows } from '../../../web/Detail.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { audit, type Check } from '../contract.ts'

const running = (check: Check | null | undefined) =>
  check?.state === 'WAITING' || check?.state === 'RUNNING'

/** Walks the chain in the background; the dialog may be closed and opened again meanwhile. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('audit')
  const active = useActiveTab()
  const read = useRead(audit.check, {}, { inline: true, every: 1000 })
  const start = useWrite(audit.verify, { success: 'audit:success.verify' })
  const check = read.data?.check
  if (!active) return null
  return (
    <Modal
      open
      title={t('verify.title')}
      width={560}
      onCancel={onClose}
      footer={
        <Button
          type="primary"
          loading={start.isPending || running(check)}
          disabled={read.isPending}
          onClick={() => start.mutate({})}
        >
          {t(check ? 'verify.again' : 'verify.start')}
        </Button>
      }
    >
      <Lead>{t('verify.about')}</Lead>
      <div style={{ minHeight: 132 }} aria-live="polite">
        {read.error ? (
          <Problem error={read.error} onRetry={() => void read.refetch()} />
        ) : check ? (
          <Verdict check={check} />
        ) : read.isPending ? (
          <Skeleton rows={3} />
        ) : null}
      </div>
    </Modal>
  )
}

function Verdict({ check }: { check: Check }) {
  const { t } = useTranslation('audit')
  const checked = formatCount(check.checked)
  if (running(check)) {
    const text =
      check.state === 'WAITING'
        ? t('verify.waiting')
        : t('verify.running', { checked, total: formatCount(check.total) })
    return (
      <>
        <Progress
          aria-label={text}
          percent={check.total ? Math.floor((100 * check.checked) / check.total) : 0}
          status="active"
        />
        <p>{text}</p>
      </>
    )
  }
  if (check.state === 'FAILED') return <Alert type="error" showIcon title={t('verify.failed')} />
  const { broken } = check
  const facts: [string, React.ReactNode][] = broken
    ? [
        [t('verify.reason'), t(`enums.why.${broken.why}`)],
        [t('verify.logId'), broken.logId],
        [t('verify.at'), broken.at ? <Time key="at" at={broken.at} style="full" /> : null],
      ]
    : []
  return (
    <>
      <h3>
        <StatusTag tone={broken ? 'fault' : 'success'} chip>
          {broken ? t('verify.broken', { seq: Math.max(0, broken.seq - 1) }) : t('verify.fine')}
        </StatusTag>
      </h3>
      <p>
        {broken
          ? t('verify.brokenHint', { checked })
          : t('verify.fineHint', {
              checked,
              heads: formatCount(check.heads),
              seconds: check.seconds,
            })}
      </p>
      <Rows
        items={[
          ...facts,
          [t('verify.last'), <Time key="last" at={check.createTime} style="full" />],
        ]}
      />
      {check.heads === 0 ? <Alert type="warning" showIcon title={t('verify.noHeads')} /> : null}
    </>
  )
}
