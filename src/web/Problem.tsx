import ReloadOutlined from '@ant-design/icons/es/icons/ReloadOutlined'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from './CopyButton.tsx'
import type { ApiError } from './call.ts'
import styles from './Problem.module.css'
import { EmptyArt, type EmptyKind } from './pictures/silhouettes.tsx'

/** What failed, why, and what to do about it. */
export function Problem({
  error,
  title,
  onRetry,
}: {
  error: ApiError
  title?: string
  onRetry?: () => void
}) {
  const { t } = useTranslation('web')
  return (
    <div className={styles.block} role="alert">
      <EmptyArt kind="error" />
      <h2>
        {Math.floor(error.code / 1000) === 404 ? t('error.missing') : (title ?? t('error.page'))}
      </h2>
      <p>
        {error.message}
        {error.requestId ? (
          <>
            {' '}
            {t('error.requestId')} {error.requestId.slice(0, 9)}
          </>
        ) : null}
      </p>
      <div>
        {onRetry ? (
          <Button icon={<ReloadOutlined />} onClick={onRetry}>
            {t('action.retry')}
          </Button>
        ) : null}
        {error.requestId ? <CopyButton text={error.requestId} label={t('action.copyId')} /> : null}
      </div>
    </div>
  )
}

type Read = { readonly error: ApiError | null; readonly refetch: () => unknown }
/** In the place of what is not read yet: `if (!read.data) return <Unread read={read} rows={6} />`. */
export const Unread = ({ read, rows = 6 }: { read: Read; rows?: number }) =>
  read.error ? (
    <Problem error={read.error} onRetry={() => void read.refetch()} />
  ) : (
    <Skeleton rows={rows} />
  )

/** Nothing to show: what is missing, and one action. */
export const Empty = ({
  kind = 'empty',
  title,
  hint,
  action,
}: {
  kind?: EmptyKind
  title: ReactNode
  hint?: ReactNode
  action?: ReactNode
}) => (
  <div className={styles.block}>
    <EmptyArt kind={kind} />
    <h2>{title}</h2>
    {hint ? <p>{hint}</p> : null}
    <div>{action}</div>
  </div>
)

/** Where lines of text will stand. */
export const Skeleton = ({ rows }: { rows: number }) => (
  <div className={styles.skeleton} aria-busy="true">
    {Array.from({ length: rows }, (_, index) => 92 - ((index * 37) % 45)).map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
)
