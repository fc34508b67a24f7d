import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { leavesOf, titleOf } from '../../../web/menus.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { useUser } from '../../../web/session.ts'
import styles from './Home.module.css'

/** For readers without figures of their own: who they are here and what they can open. */
export function Welcome() {
  const { t } = useTranslation('reports')
  const { lang } = usePrefs()
  const user = useUser()
  const groups = Map.groupBy(
    leavesOf(user.menus).filter(({ node }) => !node.hidden),
    ({ group }) => group,
  )
  return (
    <section className={`hd-sheet ${styles.welcome}`}>
      <h1>{t('welcome.hello', { name: user.realName || user.username })}</h1>
      <dl>
        <dt>{t('welcome.role')}</dt>
        <dd>{user.title}</dd>
        <dt>{t('welcome.org')}</dt>
        <dd>{user.orgName}</dd>
      </dl>
      <h2>{t('welcome.open')}</h2>
      {groups.size === 0 ? (
        <p>{t('welcome.none')}</p>
      ) : (
        [...groups].map(([group, leaves]) => (
          <div key={group?.path ?? ''} className={styles.group}>
            <h3>{group ? titleOf(group, lang) : null}</h3>
            <p>
              {leaves.map(({ node }) => (
                <Link key={node.path} to={node.path}>
                  {titleOf(node, lang)}
                </Link>
              ))}
            </p>
          </div>
        ))
      )}
      <div className={styles.group}>
        <h3>{t('welcome.account')}</h3>
        <p>
          <Link to="/info">{t('welcome.own')}</Link>
          <Link to="/pwd">{t('welcome.password')}</Link>
        </p>
      </div>
    </section>
  )
}
