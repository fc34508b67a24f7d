import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { queryClient } from '../api.ts'
import { mayLoseChanges } from '../confirm.tsx'
import { usePrefs } from '../prefs.ts'
import { useUser } from '../session.ts'
import { Dropdown } from '../ui/popup.tsx'
import styles from './Shell.module.css'
import { closeTab, closeTabs, isDirty, refreshTab, useDirtyTabs, useTabs } from './tabs.ts'
import { homePath, type Tab } from './tabsList.ts'
import { tabTitle } from './trail.ts'

const verbs = ['refresh', 'close', 'left', 'right', 'others', 'all'] as const
type Verb = (typeof verbs)[number]

/** Where a tab stands among the opened ones, and what may be done from there. */
function useVerbs(tabs: readonly Tab[]) {
  const { t } = useTranslation('web')
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const show = (tab: Tab | undefined) => navigate(tab ? tab.path + tab.search : homePath)
  const mayLose = (tab: Tab) => !isDirty(tab.path) || mayLoseChanges()
  const reached: Record<
    Exclude<Verb, 'refresh' | 'close'>,
    (at: number, own: number) => boolean
  > = {
    left: (at, own) => at < own,
    right: (at, own) => at > own,
    others: (at, own) => at !== own,
    all: () => true,
  }
  const closing = (tab: Tab, verb: keyof typeof reached) =>
    tabs.filter(({ path }, at) => path !== homePath && reached[verb](at, tabs.indexOf(tab)))
  const run = async (tab: Tab, verb: Verb) => {
    if (verb === 'refresh') {
      if (!(await mayLose(tab))) return
      refreshTab(tab.path)
      show(tab)
      return void queryClient.invalidateQueries()
    }
    if (verb === 'close') {
      if (!(await mayLose(tab))) return
      const next = closeTab(tab.path)
      return pathname === tab.path ? show(next) : undefined
    }
    const left = closeTabs(closing(tab, verb).map(({ path }) => path))
    if (!left.some(({ path }) => path === pathname))
      show(left.find(({ path }) => path === tab.path))
  }
  const items = (tab: Tab) =>
    verbs.map((verb) => ({
      key: verb,
      label: t(`shell.tab.${verb}`),
      disabled:
        verb === 'refresh'
          ? false
          : verb === 'close'
            ? tab.path === homePath
            : closing(tab, verb).length === 0,
    }))
  return { show, run, items }
}

/** The opened pages. What has no room is scrolled to, or chosen from the list at the end. */
export function TabsBar() {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const { menus } = useUser()
  const { pathname } = useLocation()
  const dirty = useDirtyTabs()
  const opened = useTabs()
  const bar = useRef<HTMLElement>(null)
  const home = opened.find((tab) => tab.path === homePath) ?? {
    path: homePath,
    search: '',
    usedAt: 0,
  }
  const tabs = [home, ...opened.filter((tab) => tab.path !== homePath)]
  const at = tabs.findIndex((tab) => tab.path === pathname)
  const here = tabs[at]
  const { show, run, items } = useVerbs(tabs)
  const titleOf = (tab: Tab) =>
    [tabTitle(tab.path, menus, lang, t('shell.home')), tab.extra].filter(Boolean).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active tab scrolls into sight when it changes, or comes where another made room
  useEffect(() => {
    bar.current
      ?.querySelector('[data-active="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname, at, tabs.length])
  return (
    <div className={styles.tabsBar}>
      <nav ref={bar} className={styles.tabs} aria-label={t('shell.tabs')}>
        {tabs.map((tab) => {
          const active = tab.path === pathname
          const title = titleOf(tab)
          return (
            <Dropdown
              key={tab.path}
              trigger={['contextMenu']}
              menu={{ items: items(tab), onClick: ({ key }) => void run(tab, key as Verb) }}
            >
              <div className={styles.tab} data-active={active}>
                <button
                  type="button"
                  aria-current={active ? 'page' : undefined}
                  title={title}
                  onClick={() => show(tab)}
                  onAuxClick={(event) => {
                    if (event.button === 1 && tab.path !== homePath) void run(tab, 'close')
                  }}
                >
                  {title}
                  {dirty.has(tab.path) ? (
                    <span className={styles.dot} role="img" aria-label={t('form.unsaved')}>
                      •
                    </span>
                  ) : null}
                </button>
                {tab.path === homePath ? null : (
                  <button
                    type="button"
                    className={styles.close}
                    aria-label={`${t('shell.tab.close')} ${title}`}
                    onClick={() => void run(tab, 'close')}
                  >
                    <CloseOutlined />
                  </button>
                )}
              </div>
            </Dropdown>
          )
        })}
      </nav>
      <Dropdown
        trigger={['click']}
        placement="bottomRight"
        menu={{
          selectedKeys: [pathname],
          items: [
            ...tabs.map((tab) => ({ key: tab.path, label: titleOf(tab) })),
            { type: 'divider' },
            ...(here ? items(here) : []),
          ],
          onClick: ({ key }) => {
            const tab = tabs.find(({ path }) => path === key)
            if (tab) show(tab)
            else if (here) void run(here, key as Verb)
          },
        }}
      >
        <button type="button" className={styles.allTabs} aria-label={t('shell.allTabs')}>
          <DownOutlined />
        </button>
      </Dropdown>
    </div>
  )
}
