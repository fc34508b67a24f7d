import { Button } from 'antd'
import { Component, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isApiError } from '../call.ts'
import { CopyButton } from '../CopyButton.tsx'
import { resetLoading } from '../loading.ts'
import { EmptyArt } from '../pictures/silhouettes.tsx'
import styles from './Shell.module.css'

type Props = { readonly children: ReactNode }
type State = { readonly error: unknown; readonly failed: boolean }

/** React knows error boundaries as classes only. One per tab: a broken page leaves the others alone. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false }
  static getDerivedStateFromError(error: unknown): State {
    return { error, failed: true }
  }
  override componentDidCatch(): void {
    resetLoading()
  }
  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return <Failure error={this.state.error} onRetry={() => this.setState({ error: null, failed: false })} />
  }
}

/** A chunk that is gone means a new release: only a reload helps then. */
const isMissingChunk = (error: unknown) => error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message)

function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation('web')
  const chunk = isMissingChunk(error)
  const requestId = isApiError(error) ? error.requestId : undefined
  return (
    <div className={styles.failure} role="alert">
      <EmptyArt kind="error" />
      <h2>{t(chunk ? 'error.chunk' : 'error.page')}</h2>
      <p>{isApiError(error) ? error.message : t('error.pageHint')}</p>
      <Button type="primary" onClick={() => (chunk ? location.reload() : onRetry())}>{t(chunk ? 'shell.refresh' : 'action.retry')}</Button>
      {requestId ? <CopyButton text={requestId} label={t('action.copyId')} /> : null}
    </div>
  )
}
