import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../CopyButton.tsx'
import { isApiError } from '../call.ts'
import { failureText, isMissingChunk } from '../chunks.ts'
import { EmptyArt } from '../pictures/silhouettes.tsx'
import styles from './Shell.module.css'

/** A page that broke, inside its tab. */
export function PageFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('web')
  const chunk = isMissingChunk(error)
  const requestId = isApiError(error) ? error.requestId : undefined
  return (
    <div className={styles.failure} role="alert">
      <EmptyArt kind="error" />
      <h2>{t(failureText(error))}</h2>
      <p>{isApiError(error) ? error.message : t('error.pageHint')}</p>
      <Button type="primary" onClick={() => (chunk ? location.reload() : onRetry())}>
        {t(chunk ? 'shell.refresh' : 'action.retry')}
      </Button>
      {requestId ? <CopyButton text={requestId} label={t('action.copyId')} /> : null}
    </div>
  )
}
