import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useCamera } from '../../../../web/camera.ts'
import { toast } from '../../../../web/toast.ts'
import styles from './phone.module.css'

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
  const seen = useRef(new Map<string, number>())
  const video = useCamera({
    read: (codes) => {
      const now = performance.now()
      for (const code of codes) {
        const known = now - (seen.current.get(code) ?? Number.NEGATIVE_INFINITY) < again
        seen.current.set(code, now)
        if (known) continue
        beep()
        onCode(code)
      }
    },
    fail: () => {
      toast('error', t('phone.noCamera'))
      onEnd()
    },
  })
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
