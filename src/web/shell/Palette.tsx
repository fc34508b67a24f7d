import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { Input } from 'antd'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { titleOf } from '../menus.ts'
import { usePrefs } from '../prefs.ts'
import { product } from '../product.ts'
import { useUser } from '../session.ts'
import { Modal } from '../ui/overlay.tsx'
import { menuIcon } from './icons.tsx'
import { loadPinyin, pagesFor, searchLeaves } from './menuSearch.ts'
import type { PaletteItem } from './paletteItem.ts'
import styles from './Shell.module.css'
import { useTabs } from './tabs.ts'
import type { Tab } from './tabsList.ts'

const wait = 200
const most = 20

const usedAt = (tabs: readonly Tab[], path: string): number =>
  tabs.find((tab) => tab.path === path)?.usedAt ?? 0

/**
 * Ctrl K: pages by name or pinyin, those used last first, after whatever the providers find.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const user = useUser()
  const { permissions } = user
  const tabs = useTabs()
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const [ready, setReady] = useState(false)
  const [more, setMore] = useState<readonly PaletteItem[]>([])
  const results = useRef<HTMLUListElement>(null)
  useEffect(() => void loadPinyin().then(() => setReady(true)), [])
  useEffect(() => {
    setMore([])
    if (query.trim().length < 2) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const allowed = product.finders.filter((finder) => permissions.includes(finder.permission))
      void Promise.all(allowed.map((finder) => finder.find(query.trim()).catch(() => []))).then(
        (found) => {
          if (!stop.signal.aborted) setMore(found.flat())
        },
      )
    }, wait)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [query, permissions])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ready` changes what matches
  const pages = useMemo<PaletteItem[]>(
    () =>
      searchLeaves(pagesFor(user, product.screens), query)
        .sort((a, b) => usedAt(tabs, b.node.path) - usedAt(tabs, a.node.path))
        .slice(0, most)
        .map(({ node, group }) => ({
          key: node.path,
          title: titleOf(node, lang),
          hint: group ? titleOf(group, lang) : '',
          to: node.path,
          icon: group?.icon ?? node.icon,
        })),
    [user, tabs, query, lang, ready],
  )
  const items = [...more, ...pages]
  const choose = (item: PaletteItem | undefined) => {
    if (!item) return
    onClose()
    navigate(item.to)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen line scrolls into sight when it changes
  useEffect(() => {
    results.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const press = (event: KeyboardEvent) => {
    // Enter ends the input of a Chinese word first
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, items.length))
    else if (event.key === 'ArrowUp') setAt((at + items.length - 1) % Math.max(1, items.length))
    else if (event.key === 'Enter') choose(items[at])
    else return
    event.preventDefault()
  }
  return (
    <Modal
      open
      footer={null}
      closable={false}
      onCancel={onClose}
      width={560}
      style={{ top: 96 }}
      title={<span className="hd-visually-hidden">{t('keys.search')}</span>}
    >
      <Input
        autoFocus
        size="large"
        prefix={<SearchOutlined />}
        placeholder={t('shell.palette')}
        aria-label={t('keys.search')}
        role="combobox"
        aria-expanded
        aria-controls="palette-results"
        aria-activedescendant={`palette-${at}`}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <ul
        ref={results}
        id="palette-results"
        className={styles.results}
        role="listbox"
        aria-label={t('shell.pages')}
      >
        {items.map((item, index) => (
          <li key={item.key} role="none">
            <button
              type="button"
              id={`palette-${index}`}
              role="option"
              aria-selected={index === at}
              tabIndex={-1}
              onClick={() => choose(item)}
              onMouseEnter={() => setAt(index)}
            >
              {menuIcon(item.icon)} {item.title} <small>{item.hint}</small>
            </button>
          </li>
        ))}
        {items.length === 0 ? <li className={styles.none}>{t('shell.noMatch')}</li> : null}
      </ul>
    </Modal>
  )
}
