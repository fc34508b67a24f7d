import { Button } from 'antd'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallInput, Endpoint, Output } from '../shared/contract.ts'
import { useRead, useWrite } from './api.ts'
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
type BatchAnswer<R extends Row = Row> = {
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
  /** Beside the way out, once it was done: what may follow, as taking it back. */
  after?: ReactNode
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
  after,
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
          {result ? after : null}
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
      {shown && shown.done + shown.skipped > 0 ? (
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

const nobody = { done: 0, skipped: 0, results: [] }
type Deed<P extends Endpoint, W extends Endpoint> = {
  preview: P
  asked: CallInput<P>
  /** False while there is nothing to ask yet. */
  enabled?: boolean
  save: W
  input: CallInput<W>
  success?: string
  invalidates?: readonly string[]
  onClose: () => void
  onDone: () => void
}

/** The dry run and the deed: `<BatchDialog {...useBatch({…})} title=… />`. */
export function useBatch<P extends Endpoint, W extends Endpoint>({
  preview,
  asked,
  enabled = true,
  save,
  input,
  onClose,
  onDone,
  success = 'web:success.done',
  invalidates,
}: Deed<P, W>) {
  const plan = useRead(preview, asked, { staleTime: 0, enabled, keep: true })
  const run = useWrite(save, {
    success,
    onSuccess: onDone,
    ...(invalidates ? { invalidates } : {}),
  })
  useEffect(() => {
    if (plan.isError) onClose()
  }, [plan.isError, onClose])
  return {
    plan: enabled ? (plan.data as Output<W> | undefined) : (nobody as Output<W>),
    result: run.data,
    busy: run.isPending,
    onRun: () => run.mutate(input),
    onClose,
  }
}
