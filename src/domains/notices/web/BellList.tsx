import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { Time } from '../../../web/Time.tsx'
import { locale } from '../locale.ts'
import { messageEndpoints } from '../messageContract.ts'
import { KindMark } from './KindMark.tsx'
import styles from './notices.module.css'

// the bell stands on every page; these texts come with its first opening
registerLocale('notices', locale)

const { inbox } = messageEndpoints

/** The newest five unread messages. */
export function BellList() {
  const { t } = useTranslation(['notices', 'web'])
  const read = useRead(inbox, { sort: '-createTime' }, { inline: true })
  useLive('messages', [inbox.path])
  const list = (read.data?.list ?? []).slice(0, 5)
  return (
    <div className={styles.bell}>
      <div className={styles.bellHead}>
        <h3>{t('inbox.recent')}</h3>
      </div>
      {list.length === 0 ? (
        <p className={styles.none} role="status">
          {read.isPending ? t('web:loading') : (read.error?.message ?? t('inbox.emptyUnread'))}
        </p>
      ) : (
        <ul className={styles.bellList}>
          {list.map((message) => (
            <li key={message.id}>
              <Link to={`/notice?detail=${message.id}`}>
                <KindMark kind={message.kind} img={message.img} />
                <div>
                  <strong>{message.title}</strong>
                  <span className={styles.excerpt}>
                    {message.content || t(`enums.kind.${message.kind}`)}
                  </span>
                </div>
                <Time at={message.createTime} style="age" />
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Link className={styles.bellFoot} to="/notice">
        {t('inbox.all')}
      </Link>
    </div>
  )
}
