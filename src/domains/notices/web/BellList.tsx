import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { useLive } from '../../../web/live.ts'
import { Time } from '../../../web/Time.tsx'
import { Part } from '../../../web/ui/Sheet.tsx'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
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
      <Part title={t('inbox.recent')}>
        {list.length === 0 ? (
          <Flex justify="center" style={{ padding: '24px 4px' }} role="status">
            <Muted>
              {read.isPending ? t('web:loading') : (read.error?.message ?? t('inbox.emptyUnread'))}
            </Muted>
          </Flex>
        ) : null}
        {list.map(({ id, kind, img, title, content, createTime }) => (
          <Link key={id} to={`/notice?detail=${id}`}>
            <KindMark kind={kind} img={img} />
            <Cut>
              <strong>{title}</strong>
              <Muted small>
                <Cut>{content || t(`enums.kind.${kind}`)}</Cut>
              </Muted>
            </Cut>
            <Muted small>
              <Time at={createTime} style="age" />
            </Muted>
          </Link>
        ))}
      </Part>
      <Flex justify="center" className={styles.bellFoot ?? ''}>
        <Link to="/notice">{t('inbox.all')}</Link>
      </Flex>
    </div>
  )
}
