import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { useLastDays } from '../../../web/list/useLastDays.ts'
import { audit, LoginRow } from '../contract.ts'

/** Tries to sign in, good and bad. */
export function LoginLog() {
  const { t } = useTranslation('audit')
  const navigate = useNavigate()
  const col = useCols(LoginRow, 'audit')
  useLastDays()
  return (
    <ListPage
      ns="audit"
      endpoint={audit.logins}
      filters={['username', 'reason', 'range', 'ip']}
      header={<Button onClick={() => navigate('/log/operate-log')}>{t('toLog')}</Button>}
      columns={[
        col('username'),
        col('reason'),
        col('ip', { ellipsis: false }),
        col('device'),
        col('createTime'),
      ]}
      empty={{ title: t('loginEmpty'), hint: t('emptyHint') }}
      card={['ip', 'device', 'createTime']}
    />
  )
}
