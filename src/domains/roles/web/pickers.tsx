import { registerLocale } from '../../../web/i18n.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'

/**
 * `<ExplainDrawer userId={row.id} onClose={…} />`: what a user may do and see, and what is missing.
 * Render it only while open.
 */
export const ExplainDrawer = lazyDialog<{ userId: number; onClose: () => void }>(async () => {
  const [{ locale }, found] = await Promise.all([import('../locale.ts'), import('./Explain.tsx')])
  registerLocale('roles', locale)
  return found.Explain
})

/** Why the signed-in person himself has no way to a page that needs `code`; stands without antd. */
export const WhyNot = lazyDialog<{ code: string }>(async () => {
  const [{ locale }, found] = await Promise.all([import('../locale.ts'), import('./WhyNot.tsx')])
  registerLocale('roles', locale)
  return found.WhyNot
})
