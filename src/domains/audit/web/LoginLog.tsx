import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { Time } from '../../../web/Time.tsx'
import { audit, LoginRow } from '../contract.ts'
import styles from './audit.module.css'

/** Tries to sign in, good and bad. */
export function LoginLog() {
  const { t } = useTranslation(['audit', 'web'])
  const navigate = useNavigate()
  const col = useCols(LoginRow, 'audit')
  return (
    <ListPage
      title={t('loginTitle')}
      ns="audit"
      endpoint={audit.logins}
      rowKey="id"
      filters={[{ key: 'username' }, { key: 'reason' }, { key: 'range' }, { key: 'ip' }]}
      header={<Button onClick={() => navigate('/log/operate-log')}>{t('title')}</Button>}
      columns={[
        col('username', { width: 160 }),
        col('reason', { width: 200 }),
        col('ip', { width: 160, ellipsis: false }),
        col('device', { width: 240 }),
        col('createTime', { width: 144 }),
      ]}
      empty={{ title: t('loginEmpty'), hint: t('emptyHint') }}
      card={(row) => (
        <>
          <div className={styles.cardHead}>
            <strong>{row.username}</strong>
            <span>{t(`enums.reason.${row.reason}`)}</span>
          </div>
          <div className={styles.facts}>
            <span>{row.ip}</span>
            <span>{row.device}</span>
            <Time at={row.createTime} />
          </div>
        </>
      )}
    />
  )
}
