import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from '../../../../web/toast.ts'
import styles from './phone.module.css'

type Detector = { detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]> }
type Maker = { new (): Detector }
const maker = (): Maker | undefined => (globalThis as { BarcodeDetector?: Maker }).BarcodeDetector
/** Some browsers cannot: codes are typed there. */
export const canScan = (): boolean => maker() !== undefined && !!navigator.mediaDevices

const every = 200
/** The same code lies before the camera for a while. */
const again = 2000

/** The camera over the page, until somebody ends it: each code is told once, with a beep. */
export function Scanner({
  note,
  onCode,
  onEnd,
}: {
  note?: string
  onCode: (code: string) => void
  onEnd: () => void
}) {
  const { t } = useTranslation('replenishment')
  const video = useRef<HTMLVideoElement>(null)
  const said = useRef({ onCode, onEnd })
  useEffect(() => {
    said.current = { onCode, onEnd }
  })
  const failed = t('phone.noCamera')
  useEffect(() => {
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setInterval> | undefined
    let gone = false
    const seen = new Map<string, number>()
    const begin = async () => {
      const Detect = maker()
      const shown = video.current
      if (!Detect || !shown) return
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      if (gone) return stop()
      shown.srcObject = stream
      await shown.play()
      const detector = new Detect()
      timer = setInterval(async () => {
        for (const { rawValue } of await detector.detect(shown).catch(() => [])) {
          const now = performance.now()
          const known = now - (seen.get(rawValue) ?? Number.NEGATIVE_INFINITY) < again
          seen.set(rawValue, now)
          if (known || gone) continue
          beep()
          said.current.onCode(rawValue)
        }
      }, every)
    }
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
    begin().catch(() => {
      toast('error', failed)
      said.current.onEnd()
    })
    return () => {
      gone = true
      clearInterval(timer)
      stop()
    }
  }, [failed])
  return (
    <div className={styles.scanner} role="dialog" aria-label={t('phone.scan')}>
      <video ref={video} playsInline muted />
      <p aria-live="polite">{note}</p>
      <button type="button" onClick={onEnd}>
        {t('phone.stopScan')}
      </button>
    </div>
  )
}

function beep(): void {
  const audio = new AudioContext()
  const tone = audio.createOscillator()
  tone.frequency.value = 1400
  tone.connect(audio.destination)
  tone.start()
  tone.stop(audio.currentTime + 0.08)
  tone.onended = () => void audio.close()
  navigator.vibrate?.(40)
}
