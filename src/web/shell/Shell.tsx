import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { useLiveStream } from '../live.ts'
import { resetLoading } from '../loading.ts'
import { usePrefs } from '../prefs.ts'
import { useUser } from '../session.ts'
import { Drawer } from '../ui/overlay.tsx'
import { Header } from './Header.tsx'
import { Help } from './Help.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'
import { Palette } from './Palette.tsx'
import styles from './Shell.module.css'
import { SideMenu } from './SideMenu.tsx'
import { TabPanes } from './TabPanes.tsx'
import { TabsBar } from './TabsBar.tsx'
import { openTab, useTabs } from './tabs.ts'
import { breadcrumb } from './trail.ts'
import { useFold } from './useFold.ts'
import { useNarrow, usePhone } from './useWidth.ts'
import { VersionHint } from './VersionHint.tsx'
import { ViewBanner } from './ViewBanner.tsx'

/** `settled`: the guard lets the present location through; redirects and 404 open no tab. */
export function Shell({ settled }: { settled: boolean }) {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const user = useUser()
  const location = useLocation()
  const [folded, toggleFold] = useFold(location.pathname)
  const [narrow, phone] = [useNarrow(), usePhone()]
  const [drawer, setDrawer] = useState(false)
  const [overlay, setOverlay] = useState<'palette' | 'help' | null>(null)
  const tabs = useTabs()
  const missing = location.pathname === '/404'
  useLiveStream(!user.mustChangePassword && !user.mustSetUpFactor)

  const trail = useMemo(
    () => breadcrumb(location.pathname, user.menus, lang, t('shell.home')),
    [location.pathname, user.menus, lang, t],
  )
  const extra = tabs.find((tab) => tab.path === location.pathname)?.extra
  useEffect(() => {
    if (settled && !missing) openTab(location.pathname, location.search)
  }, [settled, missing, location.pathname, location.search])
  useEffect(() => {
    document.title = missing
      ? '404'
      : `${[trail.at(-1), extra].filter(Boolean).join(' ')} - ${t('product')}`
  }, [missing, trail, extra, t])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every navigation
  useEffect(() => {
    setDrawer(false)
    resetLoading()
  }, [location.pathname])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement &&
        (event.target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        setOverlay('palette')
      } else if (event.key === '?' && !typing) setOverlay('help')
      else if (event.key === '[' && !typing) toggleFold()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [toggleFold])

  return (
    <div className={styles.shell}>
      <a
        className={styles.skip}
        href={`${location.pathname}#page-content`}
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('page-content')?.focus()
        }}
      >
        {t('shell.skip')}
      </a>
      {narrow ? (
        <Drawer
          open={drawer}
          onClose={() => setDrawer(false)}
          placement="left"
          size={248}
          title={null}
          closable={false}
          classNames={{ body: styles.drawerBody ?? '' }}
        >
          <SideMenu folded={false} />
        </Drawer>
      ) : (
        <aside className={styles.side} data-folded={folded}>
          <SideMenu folded={folded} />
        </aside>
      )}
      <div className={styles.right}>
        <Header
          trail={missing ? [] : extra ? [...trail.slice(0, -1), `${trail.at(-1)} ${extra}`] : trail}
          onMenu={() => (narrow ? setDrawer(true) : toggleFold())}
          folded={folded}
          onSearch={() => setOverlay('palette')}
          onHelp={() => setOverlay('help')}
        />
        {phone ? null : <TabsBar />}
        <VersionHint />
        <ViewBanner />
        <main id="page-content" tabIndex={-1} className={styles.content}>
          <TabPanes missing={missing} settled={settled} />
        </main>
      </div>
      {overlay === 'palette' ? <Palette onClose={() => setOverlay(null)} /> : null}
      {overlay === 'help' ? <Help onClose={() => setOverlay(null)} /> : null}
      <LeaveGuard phone={phone} />
    </div>
  )
}
