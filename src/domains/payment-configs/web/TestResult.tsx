import { useTranslation } from 'react-i18next'
import { Rows } from '../../../web/Detail.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import type { ConfigRow, Step } from '../contract.ts'

/** What became of each step of the last verification. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  const { t } = useTranslation('paymentConfigs')
  return (
    <Rows
      items={steps.map(({ step, ok, note }) => [
        t(`enums.step.${step}`),
        <>
          <StatusTag tone={ok ? 'success' : 'fault'}>{t(ok ? 'passed' : 'failed')}</StatusTag>{' '}
          <Muted small>{note}</Muted>
        </>,
      ])}
    />
  )
}

export function TestResult({ row, onClose }: { row: ConfigRow; onClose: () => void }) {
  const { t } = useTranslation('paymentConfigs')
  return (
    <Modal
      open
      title={t('testTitle', { name: row.merchantName })}
      footer={null}
      onCancel={onClose}
      width={520}
    >
      <Steps steps={row.testSteps} />
    </Modal>
  )
}
