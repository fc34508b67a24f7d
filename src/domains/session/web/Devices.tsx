import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { Time } from '../../../web/Time.tsx'
import { session } from '../contract.ts'
import styles from './Me.module.css'

/** Where I am signed in, and my last sign-ins. */
export function Devices() {
  const { t } = useTranslation('session')
  const confirm = useConfirm()
  const { data } = useRead(session.sessions, {})
  const stale = { success: 'session:success.endSession', invalidates: [session.sessions.path] }
  const end = useWrite(session.endSession, stale)
  const others = useWrite(session.endOthers, stale)
  return (
    <div className={styles.wide}>
      <ul className={styles.list} aria-label={t('me.devices')}>
        {data?.sessions.map((row) => (
          <li key={row.id}>
            <strong>{row.device || t('me.unknownDevice')}</strong>
            <span>{row.ip}</span>
            <span>
              {t('me.seen')} <Time at={row.lastSeenAt} />
            </span>
            {row.current ? (
              <span>{t('me.current')}</span>
            ) : (
              <Button
                type="link"
                size="small"
                danger
                onClick={async () => {
                  if (await confirm({ title: t('me.endAsk'), danger: true, ok: t('me.end') })) end.mutate({ id: row.id })
                }}
              >
                {t('me.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {data && data.sessions.length > 1 ? (
        <Button
          danger
          className={styles.last ?? ''}
          onClick={async () => {
            if (await confirm({ title: t('me.endOthersAsk'), danger: true, ok: t('me.end') })) others.mutate({})
          }}
        >
          {t('me.endOthers')}
        </Button>
      ) : null}
    </div>
  )
}

export function RecentSignIns() {
  const { t } = useTranslation('session')
  const { data } = useRead(session.sessions, {})
  return (
    <ul className={`${styles.list} ${styles.wide}`} aria-label={t('me.recent')}>
      {data?.recent.map((row) => (
        <li key={row.at}>
          <strong>{row.device || t('me.unknownDevice')}</strong>
          <span>{row.ip}</span>
          <Time at={row.at} style="full" />
        </li>
      ))}
    </ul>
  )
}
