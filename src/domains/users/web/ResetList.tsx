import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { users } from '../contract.ts'
import { ResetRow } from '../resets.ts'
import { ResetDialog } from './pickers.tsx'
import styles from './users.module.css'

const RejectDialog = lazyDialog(() => import('./RejectDialog.tsx').then((m) => m.RejectDialog))
const tones = { PENDING: 'warn', DONE: 'success', REJECTED: 'closed', EXPIRED: 'offline' } as const

/** Requests for a new password of people below. */
export function ResetList() {
  const { t } = useTranslation(['users', 'web'])
  const col = useCols(ResetRow, 'users')
  const [open, setOpen] = useState<{ what: 'reset' | 'reject'; row: ResetRow } | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        title={t('resets.title')}
        ns="users"
        endpoint={users.passwordResets}
        rowKey="id"
        live="password-resets"
        empty={{ title: t('resets.empty') }}
        views={[
          { key: 'all', label: t('resets.all'), query: {} },
          { key: 'pending', label: t('resets.pending'), query: { state: 'PENDING' } },
        ]}
        filters={[{ key: 'keyword', label: t('fields.keyword') }, { key: 'state' }, { key: 'method' }]}
        columns={[
          col('username', { width: 136 }),
          col('realName', { width: 112 }),
          col('operatorName', { width: 184 }),
          col('phone', { width: 128 }),
          col('createTime'),
          col('method', { width: 136 }),
          col('state', { width: 112, tones }),
          col('handlerName', { width: 128 }),
          col('handledTime'),
          col('remark', { width: 200 }),
        ]}
        actions={(row) => [
          { key: 'reset', label: t('resets.reset'), can: row.can.reset, onClick: () => setOpen({ what: 'reset', row }) },
          { key: 'reject', label: t('resets.reject'), can: row.can.reject, danger: true, onClick: () => setOpen({ what: 'reject', row }) },
        ]}
        card={(row, actions) => (
          <>
            <div className={styles.cardHead}>
              <strong>{row.realName}</strong>
              <span className={styles.quiet}>{row.username}</span>
              <StatusTag tone={tones[row.state]}>{t(`enums.state.${row.state}`)}</StatusTag>
            </div>
            <p className={styles.cardFacts}>
              {row.operatorName} · {row.phone} · {t(`enums.method.${row.method}`)}
            </p>
            {actions}
          </>
        )}
      />
      {open?.what === 'reset' ? <ResetDialog userId={open.row.userId} username={open.row.username} onClose={close} /> : null}
      {open?.what === 'reject' ? <RejectDialog row={open.row} onClose={close} /> : null}
    </>
  )
}
