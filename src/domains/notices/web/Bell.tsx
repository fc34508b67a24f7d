import BellOutlined from '@ant-design/icons/es/icons/BellOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { useMay, useUser } from '../../../web/session.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Popover } from '../../../web/ui/popup.tsx'
import { countedTo, unread } from '../unreadContract.ts'
import styles from './Bell.module.css'

const BellList = lazyDialog(() => import('./BellList.tsx').then((m) => m.BellList))
const Popup = lazyDialog(() => import('./Popup.tsx').then((m) => m.Popup))

/** How many messages wait; the newest ones on demand, and announcements that want to be seen. */
export function Bell() {
  const may = useMay()
  const { mustChangePassword, mustSetUpFactor } = useUser()
  return may('message:read') && !mustChangePassword && !mustSetUpFactor ? <LiveBell /> : null
}

function LiveBell() {
  const { t } = useTranslation('web')
  const { key } = useLocation()
  const read = useRead(unread, {}, { inline: true, keep: true })
  useLive('messages', [unread.path])
  const count = read.data?.count ?? 0
  const shown = count >= countedTo ? `${countedTo - 1}+` : String(count)
  const [popup] = read.data?.popups ?? []
  const phone = usePhone()
  const navigate = useNavigate()
  const bell = (
    <Button
      type="text"
      className={styles.bell ?? ''}
      aria-label={t('shell.bell', { count: shown })}
      icon={<BellOutlined />}
      {...(phone ? { onClick: () => navigate('/notice') } : {})}
    >
      {count > 0 ? <span className={styles.count}>{shown}</span> : null}
    </Button>
  )
  return (
    <>
      {/* a new key closes it when one of its links was followed */}
      {phone ? (
        bell
      ) : (
        <Popover key={key} trigger={['click']} placement="bottomRight" content={<BellList />}>
          {bell}
        </Popover>
      )}
      {popup === undefined ? null : <Popup key={popup} id={popup} />}
    </>
  )
}
