import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useCols } from '../../../web/columns.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { audit, OnlineRow } from '../contract.ts'
import styles from './audit.module.css'

/** Who is signed in now, and the way to end that. */
export function OnlineUsers() {
  const { t } = useTranslation(['audit', 'web'])
  const col = useCols(OnlineRow, 'audit')
  const may = useMay()
  const confirm = useConfirm()
  const kick = useWrite(audit.kick, { success: 'audit:success.kick' })
  const ask = async (ids: readonly string[], names: string, done?: () => void) => {
    const sure = await confirm({ title: t('kickAsk', { n: ids.length }), content: `${names} · ${t('kickHint')}`, danger: true, ok: t('kick') })
    if (sure) kick.mutate({ ids: [...ids] }, { onSuccess: () => done?.() })
  }
  const name = (row: OnlineRow) =>
    row.current ? (
      <>
        {row.username} <span className={styles.quiet}>{t('current')}</span>
      </>
    ) : (
      row.username
    )
  return (
    <ListPage
      title={t('onlineTitle')}
      ns="audit"
      endpoint={audit.online}
      rowKey="id"
      live="online-users"
      filters={[{ key: 'keyword', label: t('onlineSearch'), width: 200 }, { key: 'ip' }]}
      columns={[
        col('username', { width: 176, render: (_, row) => name(row) }),
        col('realName', { width: 104 }),
        col('orgName', { width: 160 }),
        col('roleName', { width: 128 }),
        col('ip', { width: 136, ellipsis: false }),
        col('device', { width: 184 }),
        col('signedInAt', { width: 124 }),
        col('lastSeenAt', { width: 124, render: (at: string) => <Time at={at} style="age" /> }),
      ]}
      actions={(row) => [{ key: 'kick', label: t('kick'), danger: true, can: row.can.kick, onClick: () => void ask([row.id], row.username) }]}
      batch={[
        {
          key: 'kick',
          label: t('kick'),
          danger: true,
          can: may('user:update'),
          onClick: ({ rows, clear }) => {
            const ending = rows.filter((row) => row.can.kick)
            if (ending.length > 0)
              void ask(
                ending.map((row) => row.id),
                [...new Set(ending.map((row) => row.username))].join(', '),
                clear,
              )
          },
        },
      ]}
      empty={{ title: t('onlineEmpty') }}
      card={(row, actions) => (
        <>
          <div className={styles.cardHead}>
            <strong>
              {name(row)} · {row.realName}
            </strong>
            <Time at={row.lastSeenAt} style="age" />
          </div>
          <div className={styles.facts}>
            <span>{row.orgName}</span>
            <span>{row.ip}</span>
            <span>{row.device}</span>
          </div>
          {actions}
        </>
      )}
    />
  )
}
