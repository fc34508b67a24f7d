import { Activity, type ReactNode, Suspense, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Route, Routes, useLocation, useNavigate } from 'react-router'
import type { Access } from '../../shared/contract.ts'
import { ErrorBoundary } from '../ErrorBoundary.tsx'
import { Empty, Skeleton } from '../Problem.tsx'
import { product } from '../product.ts'
import { useMay } from '../session.ts'
import { PageFailure } from './PageFailure.tsx'
import styles from './Shell.module.css'
import { closeTab, TabContext, useTabPath, useTabs } from './tabs.ts'
import { usePhone } from './useWidth.ts'

/** Made once, when the first page is drawn. */
let made: ReactNode[] | undefined
const routeElements = (): ReactNode[] => {
  made ??= Object.entries(product.routes).flatMap(([path, Page]) => {
    const withoutId = path.replace(/\/:\w+$/, '')
    const screen = product.screens.find((one) => one.path === path)
    const own = (
      <Route
        key={path}
        path={path}
        element={
          <Permitted code={screen?.permission ?? 'self'}>
            <Page />
          </Permitted>
        }
      />
    )
    if (withoutId === path || product.routes[withoutId]) return [own]
    return [
      own,
      <Route
        key={withoutId}
        path={withoutId}
        element={<BackToList to={screen?.parent ?? withoutId.replace(/\/[^/]+$/, '')} />}
      />,
    ]
  })
  return made
}

/**
 * A menu leads to all pages below it; one that needs a right of its own says what is missing, as
 * the server would.
 */
function Permitted({ code, children }: { code: Access; children: ReactNode }) {
  const { t } = useTranslation('web')
  const may = useMay()
  if (!code.includes(':') || may(code)) return children
  return (
    <section className="hd-sheet" style={{ padding: 24 }}>
      <Empty title={t('notFound.noRight')} action={<product.WhyNot code={code} />} />
    </section>
  )
}

/** A sub-page named without its id leads to its list. */
function BackToList({ to }: { to: string }) {
  const path = useTabPath()
  const navigate = useNavigate()
  useEffect(() => {
    void navigate(to, { replace: true })
    // After the shell has registered this visit.
    setTimeout(() => closeTab(path))
  }, [path, to, navigate])
  return null
}

/**
 * Every opened page stays mounted in an Activity; hidden ones keep their state and their own
 * location.
 */
export function TabPanes({ missing, settled }: { missing: boolean; settled: boolean }) {
  const NotFound = product.publicRoutes['/404']
  const location = useLocation()
  const phone = usePhone()
  const opened = useTabs()
  const here = settled && !missing ? location.pathname : null
  const listed =
    opened.some((tab) => tab.path === here) || here === null
      ? opened
      : [...opened, { path: here, search: location.search, usedAt: 0 }]
  // A phone shows no tabs bar: only the present page and unsaved ones are worth keeping there.
  const tabs = phone ? listed.filter((tab) => tab.path === here) : listed
  return (
    <>
      {missing && NotFound ? (
        <div className={styles.pane}>
          <Suspense>
            <NotFound />
          </Suspense>
        </div>
      ) : null}
      {tabs.map((tab) => (
        <Pane
          key={`${tab.path} ${tab.refreshed ?? 0}`}
          path={tab.path}
          search={tab.path === here ? location.search : tab.search}
          active={tab.path === here}
        />
      ))}
    </>
  )
}

/** A page on its way: the sheet at once, its skeleton when it takes long. */
const Coming = () => (
  <section className="hd-sheet" style={{ padding: 24 }}>
    <Skeleton rows={10} />
  </section>
)

function Pane({ path, search, active }: { path: string; search: string; active: boolean }) {
  const NotFound = product.publicRoutes['/404']
  const context = useMemo(() => ({ path, active }), [path, active])
  const pane = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (active) pane.current?.scrollTo(0, 0)
  }, [active])
  return (
    <Activity mode={active ? 'visible' : 'hidden'}>
      <div ref={pane} className={styles.pane} data-tab={path}>
        <TabContext value={context}>
          <ErrorBoundary fallback={(error, retry) => <PageFailure error={error} onRetry={retry} />}>
            <Suspense fallback={<Coming />}>
              <Routes location={{ pathname: path, search, hash: '', state: null, key: path }}>
                {routeElements()}
                {NotFound ? <Route path="*" element={<NotFound />} /> : null}
              </Routes>
            </Suspense>
          </ErrorBoundary>
        </TabContext>
      </div>
    </Activity>
  )
}
