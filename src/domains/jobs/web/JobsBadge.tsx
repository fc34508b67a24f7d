import CloudDownloadOutlined from '@ant-design/icons/es/icons/CloudDownloadOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { useUser } from '../../../web/session.ts'
import styles from '../../../web/shell/Shell.module.css'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { running } from '../runningContract.ts'

/**
 * Own exports and imports under way; the way to their page. A phone has room for it while there are
 * some; its other way there is the menu of the person.
 */
export function JobsBadge() {
  const { mustChangePassword, mustSetUpFactor } = useUser()
  return mustChangePassword || mustSetUpFactor ? null : <LiveJobs />
}

function LiveJobs() {
  const { t } = useTranslation('web')
  const navigate = useNavigate()
  const user = useUser()
  useLive(`jobs:${user.id}`, [running.path])
  const count = useRead(running, {}, { inline: true, staleTime: 60_000 }).data?.count ?? 0
  const label = count > 0 ? t('shell.jobsRunning', { count }) : t('shell.downloads')
  return (
    <Tooltip title={label}>
      <span className={count > 0 ? styles.jobs : `${styles.jobs} ${styles.wide}`}>
        <Button
          type="text"
          icon={<CloudDownloadOutlined />}
          aria-label={label}
          onClick={() => void navigate('/downloads')}
        />
        {count > 0 ? <b aria-hidden="true">{count}</b> : null}
      </span>
    </Tooltip>
  )
}
