import { type ComponentType, lazy } from 'react'
import type { Locale } from '../shared/locale.ts'
import { registerLocale } from './i18n.ts'

export type Routes = Readonly<Record<string, ComponentType>>

/**
 * Routes of one domain: `domainRoutes('orders', () => import('../locale.ts'), {
 * '/order/order-list': () => import('./OrderList.tsx').then((m) => m.OrderList) })`. A page's chunk
 * and its domain's texts load together; nothing else of the domain does.
 */
export function domainRoutes<P extends string>(
  namespace: string,
  texts: () => Promise<{ locale: Locale }>,
  pages: Record<P, () => Promise<ComponentType>>,
): Record<P, ComponentType> {
  const load = async (page: () => Promise<ComponentType>) => {
    const [found, component] = await Promise.all([texts(), page()])
    registerLocale(namespace, found.locale)
    return { default: component }
  }
  return Object.fromEntries(
    Object.entries<() => Promise<ComponentType>>(pages).map(([path, page]) => [
      path,
      lazy(() => load(page)),
    ]),
  ) as unknown as Record<P, ComponentType>
}
