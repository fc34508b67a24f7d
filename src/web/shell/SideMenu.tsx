import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { Input } from 'antd'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import type { MenuNode } from '../../shared/person.ts'
import { leavesOf, titleOf } from '../menus.ts'
import { Logo } from '../pictures/silhouettes.tsx'
import { usePrefs } from '../prefs.ts'
import { product } from '../product.ts'
import { useUser } from '../session.ts'
import { menuIcon } from './icons.tsx'
import { loadPinyin, pagesFor, searchLeaves } from './menuSearch.ts'
import styles from './SideMenu.module.css'
import { entryOf } from './trail.ts'

/**
 * Own markup instead of antd's menu: it is on every page, and 20 kB lighter. Keys as in a menu: ↑ ↓
 * ← → Home End.
 */
export function SideMenu({ folded }: { folded: boolean }) {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const user = useUser()
  const { menus } = user
  const { pathname } = useLocation()
  const [query, setQuery] = useState('')
  const [, setReady] = useState(false)
  const leaves = useMemo(() => leavesOf(menus), [menus])
  const current = entryOf(pathname, leaves)
  const [open, setOpen] = useState<readonly string[]>([])
  const [flyout, setFlyout] = useState<string | null>(null)
  const group = current?.group?.path
  useEffect(() => {
    if (group && !folded) setOpen((held) => (held.includes(group) ? held : [...held, group]))
  }, [group, folded])
  // biome-ignore lint/correctness/useExhaustiveDependencies: arriving somewhere closes what led there
  useEffect(() => setFlyout(null), [pathname, folded])

  const found = query === '' ? [] : searchLeaves(pagesFor(user, product.screens), query)
  const leaf = (node: MenuNode, icon?: ReactNode, nested = false) => (
    <li key={node.path} role="none">
      <Leaf
        to={node.path}
        title={titleOf(node, lang)}
        icon={icon}
        nested={nested}
        folded={folded && !nested}
        selected={current?.node.path === node.path}
        onGo={() => {
          setQuery('')
          setFlyout(null)
        }}
      />
    </li>
  )
  const item = (node: MenuNode): ReactNode => {
    if (node.children.length === 0) return leaf(node, menuIcon(node.icon))
    const children = node.children.filter((child) => !child.hidden)
    if (children.length === 0) return null
    const shown = folded ? flyout === node.path : open.includes(node.path)
    const toggle = () =>
      folded
        ? setFlyout(shown ? null : node.path)
        : setOpen(shown ? open.filter((path) => path !== node.path) : [...open, node.path])
    return (
      <Group
        key={node.path}
        node={node}
        title={titleOf(node, lang)}
        folded={folded}
        open={shown}
        selected={group === node.path}
        onToggle={toggle}
        onHover={folded ? (on) => setFlyout(on ? node.path : null) : undefined}
      >
        {children.map((child) => leaf(child, undefined, true))}
      </Group>
    )
  }
  return (
    <>
      <Link
        to="/home"
        className={`${styles.logo} ${folded ? styles.small : ''}`}
        {...(folded ? { 'aria-label': t('product') } : {})}
      >
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
          className={styles.search ?? ''}
          variant="filled"
          size="middle"
          allowClear
          prefix={<SearchOutlined />}
          placeholder={t('shell.searchMenu')}
          aria-label={t('shell.searchMenu')}
          value={query}
          onFocus={() =>
            void loadPinyin()
              .then(() => setReady(true))
              .catch(() => undefined)
          }
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <nav className={styles.scroll} aria-label={t('shell.menu')}>
        <ul role="menu" aria-label={t('shell.menu')} className={styles.menu} onKeyDown={walk}>
          {query === '' ? (
            <>
              <li role="none">
                <Leaf
                  to="/home"
                  title={t('shell.home')}
                  icon={menuIcon('home')}
                  folded={folded}
                  selected={pathname === '/home'}
                  onGo={() => setFlyout(null)}
                />
              </li>
              {menus.filter((node) => !node.hidden).map(item)}
            </>
          ) : found.length > 0 ? (
            found.map(({ node, group: above }) =>
              leaf(node, above ? menuIcon(above.icon) : undefined),
            )
          ) : (
            <li role="menuitem" aria-disabled="true" tabIndex={-1} className={styles.none}>
              {t('shell.noMatch')}
            </li>
          )}
        </ul>
      </nav>
    </>
  )
}

type LeafProps = {
  to: string
  title: string
  icon?: ReactNode
  nested?: boolean
  folded: boolean
  selected: boolean
  onGo: () => void
}

const Leaf = ({ to, title, icon, nested = false, folded, selected, onGo }: LeafProps) => (
  <Link
    to={to}
    role="menuitem"
    className={styles.item ?? ''}
    data-nested={nested}
    data-selected={selected}
    {...(selected ? { 'aria-current': 'page' as const } : {})}
    title={title}
    aria-label={folded ? title : undefined}
    onClick={onGo}
  >
    {icon}
    {folded ? null : <span className={styles.text}>{title}</span>}
  </Link>
)

type GroupProps = {
  node: MenuNode
  title: string
  folded: boolean
  open: boolean
  selected: boolean
  onToggle: () => void
  onHover: ((on: boolean) => void) | undefined
  children: ReactNode
}

/** A group: below its head, or beside it when the menu is folded. */
function Group({ node, title, folded, open, selected, onToggle, onHover, children }: GroupProps) {
  const id = useId()
  const head = useRef<HTMLButtonElement>(null)
  const [at, setAt] = useState({ left: 0, top: 0 })
  const place = () => {
    const box = head.current?.getBoundingClientRect()
    if (box)
      setAt({
        left: box.right,
        top: Math.max(8, Math.min(box.top, innerHeight - 48 - node.children.length * 34)),
      })
  }
  return (
    <li
      role="none"
      {...(onHover
        ? {
            onMouseEnter: () => {
              place()
              onHover(true)
            },
            onMouseLeave: () => onHover(false),
          }
        : {})}
    >
      <button
        ref={head}
        type="button"
        role="menuitem"
        aria-haspopup="true"
        aria-expanded={open}
        aria-controls={id}
        aria-label={folded ? title : undefined}
        className={styles.item}
        data-selected={folded && selected}
        data-within={selected}
        onClick={() => {
          place()
          onToggle()
        }}
      >
        {menuIcon(node.icon)}
        {folded ? null : (
          <>
            <span className={styles.text}>{title}</span>
            <span className={styles.arrow} data-open={open} aria-hidden="true" />
          </>
        )}
      </button>
      {folded ? (
        open ? (
          <div className={styles.flyout} style={at}>
            <p>{title}</p>
            <ul id={id} role="menu" aria-label={title}>
              {children}
            </ul>
          </div>
        ) : null
      ) : (
        <div className={styles.fold} data-open={open} inert={!open}>
          <ul id={id} role="menu" aria-label={title}>
            {children}
          </ul>
        </div>
      )}
    </li>
  )
}

/** Moves the focus through what is visible; right and left open and close a group. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const own = (event.target as HTMLElement).closest<HTMLElement>('[role=menuitem]')
  if (!own) return
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')].filter(
    (item) => !item.closest('[inert]'),
  )
  const index = items.indexOf(own)
  const expanded = own.getAttribute('aria-expanded')
  const head = own
    .closest('ul')
    ?.closest('li')
    ?.querySelector<HTMLElement>(':scope > [role=menuitem]')
  const next: Record<string, () => void> = {
    ArrowDown: () => items[(index + 1) % items.length]?.focus(),
    ArrowUp: () => items[(index + items.length - 1) % items.length]?.focus(),
    Home: () => items[0]?.focus(),
    End: () => items.at(-1)?.focus(),
    ArrowRight: () => {
      if (expanded === 'false') own.click()
    },
    ArrowLeft: () => {
      if (expanded === 'true') own.click()
      else head?.focus()
    },
  }
  const act = next[event.key]
  if (!act) return
  event.preventDefault()
  act()
}
