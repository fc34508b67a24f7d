import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Modal } from '../../../web/ui/overlay.tsx'
import { barcodeIsValid } from '../rules.ts'

/** What browsers that read codes bring; TypeScript does not know it yet. */
type Detector = { detect(source: HTMLVideoElement): Promise<readonly { rawValue: string }[]> }
declare const BarcodeDetector: new (of: { formats: readonly string[] }) => Detector
const formats = ['ean_13', 'ean_8', 'upc_a', 'itf']
const everyMs = 200

/** The camera, until it has read a barcode. */
export function ScanDialog({
  onFound,
  onClose,
}: {
  onFound: (code: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const video = useRef<HTMLVideoElement>(null)
  const [failed, setFailed] = useState(false)
  const found = useRef(onFound)
  const close = useRef(onClose)
  useEffect(() => {
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let over = false
    const look = async (detector: Detector) => {
      const own = video.current
      const seen = own && own.readyState >= 2 ? await detector.detect(own).catch(() => []) : []
      const code = seen.map(({ rawValue }) => rawValue).find(barcodeIsValid)
      if (over) return
      if (code === undefined) timer = setTimeout(() => void look(detector), everyMs)
      else {
        found.current(code)
        close.current()
      }
    }
    const start = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      // closed while the person was asked
      if (over) return stop()
      if (video.current) video.current.srcObject = stream
      await look(new BarcodeDetector({ formats }))
    }
    const stop = () => {
      over = true
      clearTimeout(timer)
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    start().catch(() => setFailed(true))
    return stop
  }, [])
  return (
    <Modal open title={t('form.camera')} footer={null} onCancel={onClose} width={480}>
      {failed ? (
        <p role="alert">{t('form.noCamera')}</p>
      ) : (
        <video ref={video} autoPlay muted playsInline style={{ width: '100%' }} />
      )}
    </Modal>
  )
}
