import { Pagination, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { devices } from '../contract.ts'
import styles from './devices.module.css'

/** What the machine said, newest first. Keys of a payload stay as the protocol names them. */
export function DeviceTimeline({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('devices')
  const [page, setPage] = useState(1)
  const read = useRead(devices.timeline, { id: deviceId, page, pageSize: 50 }, { inline: true, keep: true })
  if (read.error && !read.data) return <Problem error={read.error} onRetry={() => void read.refetch()} />
  if (!read.data) return <Skeleton active />
  if (read.data.total === 0) return <Empty title={t('timeline.empty')} />
  return (
    <>
      <div className={styles.events}>
        {read.data.list.map((message) => (
          <article key={`${message.boot} ${message.seq}`}>
            <Time at={message.createTime} style="full" />
            <div>
              <strong>{t(`enums.messageKind.${message.kind}`, { defaultValue: message.kind })}</strong>{' '}
              <small>{t('timeline.sequence', { n: message.seq })}</small>
              <div className={`${styles.payload} hd-mono`}>
                {Object.entries(message.payload)
                  .map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
                  .join(' · ')}
              </div>
              {message.note ? <small>{message.note}</small> : null}
            </div>
          </article>
        ))}
      </div>
      <div className={styles.pager}>
        <Pagination size="small" hideOnSinglePage current={page} pageSize={50} total={read.data.total} showSizeChanger={false} onChange={setPage} />
      </div>
    </>
  )
}
