import { type ComponentType, createElement } from 'react'
import { onDemand, useOnDemand } from './ui/onDemand.tsx'

/**
 * `const RefundDialog = lazyDialog(() => import('./RefundDialog.tsx').then((m) =>
 * m.RefundDialog))`: a list does not pay for dialogs nobody opened. One that cannot be loaded
 * closes again, and the page below it stays.
 */
export function lazyDialog<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  const real = onDemand(load)
  return function LazyDialog(props) {
    const Real = useOnDemand(real, true, () => (props as { onClose?: () => void }).onClose?.())
    return Real ? createElement(Real, props) : null
  }
}
