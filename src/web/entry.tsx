import { type ComponentType, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { currentPath, href } from './base.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { decide } from './guard.ts'
import { LoadFailed } from './LoadFailed.tsx'
import { LoadingOverlay } from './LoadingOverlay.tsx'
import { withLoading } from './loading.ts'
import { product } from './product.ts'
import { publishTheme } from './theme.ts'
import { token, watchToken } from './token.ts'

/**
 * Public pages are light islands; the shell with antd and the router (`inside`) loads only once
 * there is a session.
 */
export function start(inside: () => Promise<ComponentType>): void {
  publishTheme()
  watchToken()
  const root = createRoot(document.getElementById('root') as HTMLElement)
  const show = (Page: ComponentType) =>
    root.render(
      <StrictMode>
        <LoadingOverlay />
        <ErrorBoundary fallback={(error) => <LoadFailed error={error} />}>
          <Suspense>
            <Page />
          </Suspense>
        </ErrorBoundary>
      </StrictMode>,
    )
  const route = () => {
    const target = settle()
    const Public =
      target &&
      (product.publicRoutes[target] ??
        (token() === null ? product.publicRoutes['/404'] : undefined))
    if (Public) return show(Public)
    removeEventListener('popstate', route)
    void withLoading(inside()).then(
      (App) => show(App),
      (error: unknown) => show(() => <LoadFailed error={error} />),
    )
  }
  addEventListener('popstate', route)
  route()
}

/**
 * Follows the guard's redirects; the public page to show, or undefined when the shell takes over.
 */
function settle(): string | undefined {
  for (;;) {
    const target = currentPath() + location.search
    const action = decide({
      hasToken: token() !== null,
      target,
      user: { is: 'unknown' },
      screens: product.screens,
    })
    if (action.do === 'open') return currentPath().replace(/(.)\/$/, '$1')
    if (action.do !== 'redirect') return undefined
    history.replaceState(null, '', href(action.to))
  }
}
