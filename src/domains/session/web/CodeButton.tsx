import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './Login.module.css'

/**
 * Asks for a code, then counts down. `send` answers the seconds to wait, or null when nothing was
 * sent.
 */
export function CodeButton({
  send,
  label,
}: {
  send: () => Promise<number | null>
  label?: string
}) {
  const { t } = useTranslation('session')
  const [left, setLeft] = useState(0)
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const ask = async () => {
    setBusy(true)
    setLeft((await send()) ?? 0)
    setBusy(false)
  }
  return (
    <button
      type="button"
      className={styles.code}
      disabled={busy || left > 0}
      onClick={() => void ask()}
    >
      {left > 0 ? t('code.wait', { seconds: left }) : (label ?? t('code.get'))}
    </button>
  )
}
