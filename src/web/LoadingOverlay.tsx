import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { isLoading, onLoading } from './loading.ts'

const delay = 200

/** Full-screen overlay; appears only when the wait is long enough to be noticed. */
export function LoadingOverlay() {
  const { t } = useTranslation('web')
  const loading = useSyncExternalStore(onLoading, isLoading)
  const [visible, setVisible] = useState(false)
  useEffect(() => {
    if (!loading) return setVisible(false)
    const timer = setTimeout(() => setVisible(true), delay)
    return () => clearTimeout(timer)
  }, [loading])
  if (!loading || !visible) return null
  return (
    <div className="hd-overlay" role="status" aria-live="polite">
      <span className="hd-overlay-bar" />
      {t('loading')}
    </div>
  )
}
