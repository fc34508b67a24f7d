import { Alert, Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import type { BoardRow, BoardSecret } from '../contract.ts'
import { ActivationPanel } from './ActivationPanel.tsx'

/** The only place that shows a new secret; closing it takes a decision. */
export function SecretDialog({ secret, onClose }: { secret: BoardSecret; onClose: () => void }) {
  const { t } = useTranslation('boards')
  return (
    <Modal
      open
      width={640}
      title={t('secretTitle')}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('close')}
        </Button>
      }
    >
      <Flex vertical gap={12}>
        <Alert type="warning" showIcon title={t('secretHint')} />
        <strong>{t('secretOf', { device: secret.rtuNumber, board: secret.boardNo })}</strong>
        <span>
          <code className="hd-mono">{secret.secret}</code> <CopyButton text={secret.secret} />
        </span>
      </Flex>
    </Modal>
  )
}

export function ActivationDialog({ row, onClose }: { row: BoardRow; onClose: () => void }) {
  const { t } = useTranslation('boards')
  const active = useActiveTab()
  if (!active || row.deviceId === null) return null
  return (
    <Modal
      open
      width={480}
      title={`${t('activation.title')} · ${row.rtuNumber}`}
      footer={null}
      onCancel={onClose}
    >
      <ActivationPanel machines={[{ id: row.deviceId, rtuNumber: row.rtuNumber }]} />
    </Modal>
  )
}
