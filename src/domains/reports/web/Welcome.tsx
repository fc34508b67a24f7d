import { Flex } from 'antd'
import { lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Rows } from '../../../web/Detail.tsx'
import { leavesOf, titleOf } from '../../../web/menus.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { useUser } from '../../../web/session.ts'
import { Page } from '../../../web/ui/Page.tsx'
import { Lines, Sheet } from '../../../web/ui/Sheet.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import styles from './Home.module.css'

const Goods = lazy(() => import('./Goods.tsx').then((m) => ({ default: m.Goods })))

/**
 * For readers without figures of their own: who they are here and what they can open. `goods`: they
 * are here for goods in machines of others.
 */
export function Welcome({ goods = false }: { goods?: boolean }) {
  const { t } = useTranslation(['reports', 'web'])
  const { lang } = usePrefs()
  const user = useUser()
  const groups = Map.groupBy(
    leavesOf(user.menus).filter(({ node }) => !node.hidden),
    ({ group }) => group,
  )
  const line = (key: string, title: ReactNode, links: readonly (readonly [string, string])[]) => (
    <li key={key}>
      <Muted>{title}</Muted>
      <Flex wrap gap="4px 20px">
        {links.map(([to, word]) => (
          <Link key={to} to={to}>
            {word}
          </Link>
        ))}
      </Flex>
    </li>
  )
  const name = t('welcome.hello', { name: user.realName || user.username })
  const pages = (
    <>
      {groups.size === 0 ? <Lead>{t('welcome.none')}</Lead> : null}
      <Lines columns="120px 1fr">
        {[...groups].map(([group, leaves]) =>
          line(
            group?.path ?? '',
            group ? titleOf(group, lang) : null,
            leaves.map(({ node }) => [node.path, titleOf(node, lang)]),
          ),
        )}
        {line('own', t('web:info.account'), [
          ['/info', t('web:info.title')],
          ['/pwd', t('web:pwd.title')],
        ])}
      </Lines>
    </>
  )
  if (goods)
    return (
      <div className={styles.home}>
        <header className={styles.head}>
          <h1>{name}</h1>
        </header>
        <Suspense fallback={null}>
          <Goods readOnly={user.readOnly} />
        </Suspense>
        <Sheet title={t('welcome.open')}>{pages}</Sheet>
      </div>
    )
  return (
    <Page title={name}>
      <Rows
        items={[
          [t('welcome.role'), user.title],
          [t('web:fields.orgName'), user.orgName],
        ]}
      />
      <h2>{t('welcome.open')}</h2>
      {pages}
    </Page>
  )
}
