import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useConfirm } from '../confirm.tsx'
import { usePrefs } from '../prefs.ts'
import { useUser } from '../session.ts'
import { Dropdown } from '../ui/popup.tsx'
import styles from './Shell.module.css'
import { closeOthers, closeTab, isDirty, useDirtyTabs, useTabs } from './tabs.ts'
import { homePath, type Tab } from './tabsList.ts'
import { tabTitle } from './trail.ts'

/**
 * Closes a tab after asking when it holds unsaved changes; shows its left neighbour when it was on
 * screen.
 */
function useCloseTab(): (tab: Tab) => Promise<void> {
  const { t } = useTranslation('web')
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return async (tab) => {
    if (
      isDirty(tab.path) &&
      !(await confirm({
        title: t('shell.closeDirty'),
        ok: t('shell.leave'),
        cancel: t('shell.stay'),
      }))
    )
      return
    const next = closeTab(tab.path)
    if (pathname === tab.path) navigate(next ? next.path + next.search : homePath)
  }
}

export function TabsBar() {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const { menus } = useUser()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const close = useCloseTab()
  const dirty = useDirtyTabs()
  const opened = useTabs()
  const bar = useRef<HTMLElement>(null)
  const tabs = opened.some((tab) => tab.path === homePath)
    ? opened
    : [{ path: homePath, search: '', usedAt: 0 }, ...opened]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the active tab scrolls into sight when it changes
  useEffect(() => {
    bar.current
      ?.querySelector('[data-active="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname, tabs.length])
  return (
    <nav ref={bar} className={styles.tabs} aria-label={t('shell.tabs')}>
      {[...tabs]
        .sort((a, b) => Number(b.path === homePath) - Number(a.path === homePath))
        .map((tab) => {
          const active = tab.path === pathname
          const title = [tabTitle(tab.path, menus, lang, t('shell.home')), tab.extra]
            .filter(Boolean)
            .join(' ')
          return (
            <Dropdown
              key={tab.path}
              trigger={['contextMenu']}
              menu={{
                items: [
                  { key: 'close', label: t('shell.closeTab'), disabled: tab.path === homePath },
                  { key: 'others', label: t('shell.closeOthers') },
                ],
                onClick: ({ key }) => {
                  if (key === 'close') return void close(tab)
                  closeOthers(tab.path)
                  navigate(tab.path + tab.search)
                },
              }}
            >
              <div className={styles.tab} data-active={active}>
                <button
                  type="button"
                  aria-current={active ? 'page' : undefined}
                  title={title}
                  onClick={() => navigate(tab.path + tab.search)}
                  onAuxClick={(event) => {
                    if (event.button === 1 && tab.path !== homePath) void close(tab)
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
                    aria-label={`${t('shell.closeTab')} ${title}`}
                    onClick={() => void close(tab)}
                  >
                    <CloseOutlined />
                  </button>
                )}
              </div>
            </Dropdown>
          )
        })}
    </nav>
  )
}
