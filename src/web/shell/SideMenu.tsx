import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { Input, Menu, type MenuProps } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import type { MenuNode } from '../../domains/session/contract.ts'
import { leavesOf, titleOf } from '../menus.ts'
import { Logo } from '../pictures/silhouettes.tsx'
import { usePrefs } from '../prefs.ts'
import { useUser } from '../session.ts'
import { menuIcon } from './icons.tsx'
import { loadPinyin, searchLeaves } from './menuSearch.ts'
import styles from './Shell.module.css'

type Item = NonNullable<MenuProps['items']>[number]

export function SideMenu({ folded }: { folded: boolean }) {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const { menus } = useUser()
  const { pathname } = useLocation()
  const [query, setQuery] = useState('')
  const [, setReady] = useState(false)
  const leaves = useMemo(() => leavesOf(menus), [menus])
  const current = leaves.filter(({ node }) => !node.hidden && (pathname === node.path || pathname.startsWith(`${node.path}/`))).sort((a, b) => b.node.path.length - a.node.path.length)[0]
  const [open, setOpen] = useState<string[]>([])
  const group = current?.group?.path
  useEffect(() => {
    if (group && !folded) setOpen((held) => (held.includes(group) ? held : [...held, group]))
  }, [group, folded])

  const items: Item[] = [
    { key: '/home', icon: menuIcon('home'), label: <Link to="/home">{t('shell.home')}</Link>, title: t('shell.home') },
    ...menus.filter((node) => !node.hidden).map((node) => toItem(node, lang)).filter((item) => item !== null),
  ]
  const found: Item[] = query === '' ? [] : searchLeaves(leaves, query).map(({ node, group: above }) => toLeaf(node, lang, above ? menuIcon(above.icon) : undefined))
  return (
    <>
      <Link to="/home" className={styles.logo ?? ''} {...(folded ? { 'aria-label': t('product') } : {})}>
        <Logo size={28} />
        {folded ? null : (
          <>
            <strong>{t('product')}</strong>
            {lang === 'zh-CN' ? <span>Huodao</span> : null}
          </>
        )}
      </Link>
      {folded ? null : (
        <Input
          className={styles.menuSearch ?? ''} variant="filled" size="middle" allowClear prefix={<SearchOutlined />} placeholder={t('shell.searchMenu')} aria-label={t('shell.searchMenu')} value={query}
          onFocus={() => void loadPinyin().then(() => setReady(true))} onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <nav className={styles.menuScroll} aria-label={t('shell.menu')}>
        <Menu
          mode="inline" inlineCollapsed={folded} inlineIndent={12} items={query === '' ? items : found.length > 0 ? found : [{ key: 'none', label: t('shell.noMatch'), disabled: true }]}
          selectedKeys={[current?.node.path ?? pathname]} {...(folded ? {} : { openKeys: open, onOpenChange: setOpen })} onClick={() => setQuery('')}
        />
      </nav>
    </>
  )
}

const toLeaf = (node: MenuNode, lang: string, icon?: React.ReactElement): Item => ({
  key: node.path, title: titleOf(node, lang), label: <Link to={node.path}>{titleOf(node, lang)}</Link>, ...(icon ? { icon } : {}),
})

/** Hidden nodes never show; a group without visible pages does not either. */
function toItem(node: MenuNode, lang: string): Item | null {
  const children = node.children.filter((child) => !child.hidden)
  if (node.children.length === 0) return toLeaf(node, lang, menuIcon(node.icon))
  return children.length === 0 ? null : { key: node.path, icon: menuIcon(node.icon), label: titleOf(node, lang), children: children.map((child) => toLeaf(child, lang)) }
}
