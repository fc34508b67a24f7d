import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCamera } from '../../../web/camera.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { barcodeIsValid } from '../rules.ts'

const formats = ['ean_13', 'ean_8', 'upc_a', 'itf']

/** The camera, until it has read a barcode. */
export function ScanDialog({
  onFound,
  onClose,
}: {
  onFound: (code: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const [failed, setFailed] = useState(false)
  const read = (codes: readonly string[]) => {
    const code = codes.find(barcodeIsValid)
    if (code === undefined) return
    onFound(code)
    onClose()
  }
  const video = useCamera({ read, fail: () => setFailed(true) }, formats)
  return (
    <Modal open title={t('form.camera')} footer={null} onCancel={onClose} width={480}>
      {failed ? (
        <p role="alert">{t('form.noCamera')}</p>
      ) : (
        <video ref={video} muted playsInline style={{ width: '100%' }} />
      )}
    </Modal>
  )
}
