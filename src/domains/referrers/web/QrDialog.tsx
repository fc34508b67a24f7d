import { QRCode } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { zonedTime } from '../../../web/time.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lead } from '../../../web/ui/Text.tsx'

/** A code to send: whoever scans it first is bound. */
export function QrDialog({
  code: { url, expireTime },
  onClose,
}: {
  code: { url: string; expireTime: string }
  onClose: () => void
}) {
  const { t } = useTranslation('referrers')
  return (
    <Modal open title={t('qrcode')} footer={null} width={400} onCancel={onClose}>
      <Lead>{t('qrHint', { time: zonedTime(new Date(expireTime)) })}</Lead>
      <div style={{ display: 'flex', flexDirection: 'column', alignItems: 'center', gap: 12 }}>
        <QRCode value={url} size={224} color="#000" bgColor="#fff" />
        <CopyButton text={url} label={t('web:action.copy')} />
      </div>
    </Modal>
  )
}
