import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './BatchDialog.module.css'
import { useActiveTab } from './shell/tabs.ts'
import { Modal } from './ui/overlay.tsx'

type Row = {
  readonly id: number
  readonly rtuNumber: string
  readonly nickname: string
  readonly ok: boolean
  readonly reason: string
}
export type BatchAnswer<R extends Row = Row> = {
  readonly done: number
  readonly skipped: number
  readonly results: readonly R[]
}

type Props<R extends Row> = {
  title: string
  /** What will happen, said before it does. */
  ask?: ReactNode
  /** The dry run; undefined while it is read. */
  plan: BatchAnswer<R> | undefined
  /** What happened, once it was done. */
  result: BatchAnswer<R> | undefined
  busy: boolean
  danger?: boolean
  onRun: () => void
  onClose: () => void
  /** Beside a machine that goes along: what is known of it now. */
  mark?: (row: R) => ReactNode
}

/**
 * A deed for many machines: first who goes along and who is skipped and why, then what became of
 * each.
 */
export function BatchDialog<R extends Row>({
  title,
  ask,
  plan,
  result,
  busy,
  danger = false,
  onRun,
  onClose,
  mark,
}: Props<R>) {
  const { t } = useTranslation('web')
  const active = useActiveTab()
  if (!active) return null
  const shown = result ?? plan
  const rows = [...(shown?.results ?? [])].sort((a, b) => Number(a.ok) - Number(b.ok))
  return (
    <Modal
      open
      title={title}
      width={560}
      mask={{ closable: false }}
      onCancel={onClose}
      loading={!shown}
      footer={
        <>
          <Button onClick={onClose}>{t(result ? 'action.close' : 'action.cancel')}</Button>
          {result ? null : (
            <Button
              type="primary"
              danger={danger}
              loading={busy}
              disabled={!plan || plan.done === 0}
              onClick={onRun}
            >
              {t('batch.run')}
            </Button>
          )}
        </>
      }
    >
      {ask && !result ? <p className={styles.ask}>{ask}</p> : null}
      {shown ? (
        <>
          <p className={styles.sums} role="status">
            <strong>{t(result ? 'batch.done' : 'batch.can', { n: shown.done })}</strong>
            <span data-some={shown.skipped > 0}>
              {t(result ? 'batch.skipped' : 'batch.skip', { n: shown.skipped })}
            </span>
          </p>
          <ul className={styles.rows}>
            {rows.map((row) => (
              <li key={row.id}>
                <span className="hd-mono">{row.rtuNumber}</span>
                <span className={styles.name}>{row.nickname}</span>
                {row.ok ? mark?.(row) : <span className={styles.why}>{row.reason}</span>}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </Modal>
  )
}
