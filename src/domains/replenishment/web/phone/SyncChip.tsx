import { useTranslation } from 'react-i18next'
import { Mark } from '../../../../web/StatusTag.tsx'
import { useUser } from '../../../../web/session.ts'
import { shortTime } from '../../../../web/time.ts'
import styles from './phone.module.css'
import { keptOf, unsentOf, useStored } from './store.ts'
import { syncNow, useSyncState } from './sync.ts'

/** Whether the server has everything; pressed, it is sent at once. */
export function SyncChip() {
  const { t } = useTranslation('replenishment')
  const { id } = useUser()
  const { offline } = useSyncState()
  const found = useStored(async (db) => ({
    unsent: await unsentOf(db),
    at: await keptOf<string>(db, 'syncedAt'),
  }))
  if (!found) return null
  const { unsent, at } = found
  const tone = offline ? 'offline' : unsent ? 'warn' : 'success'
  const words = [
    ...(offline ? [t('phone.offline')] : []),
    ...(unsent
      ? [t('phone.waiting', { n: unsent })]
      : offline
        ? []
        : [at ? t('phone.synced', { at: shortTime(new Date(at), new Date()) }) : t('phone.never')]),
  ]
  return (
    <button
      type="button"
      className={styles.sync}
      title={t('phone.syncNow')}
      onClick={() => void syncNow(id)}
    >
      <Mark tone={tone} /> <span role="status">{words.join(' · ')}</span>
    </button>
  )
}
