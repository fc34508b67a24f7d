import { type ComponentType, createElement, lazy, Suspense } from 'react'

/** `const RefundDialog = lazyDialog(() => import('./RefundDialog.tsx').then((m) => m.RefundDialog))`: a list does not pay for dialogs nobody opened. */
export function lazyDialog<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const Real = lazy(async () => ({ default: await load() }))
  return function LazyDialog(props) {
    return <Suspense>{createElement(Real as unknown as ComponentType<P>, props)}</Suspense>
  }
}
