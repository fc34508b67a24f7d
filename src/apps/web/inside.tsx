import { DutyBeat } from '../../domains/drug-control/web/DutyBeat.tsx'
import { JobsBadge } from '../../domains/jobs/web/JobsBadge.tsx'
import { exportList } from '../../domains/jobs/web/pickers.ts'
import { Bell } from '../../domains/notices/web/Bell.tsx'
import { Phone } from '../../domains/replenishment/web/pickers.tsx'
import { ScheduleDialog } from '../../domains/subscriptions/web/pickers.ts'
import { registerLocale } from '../../web/i18n.ts'
import { lazyDialog } from '../../web/lazyDialog.tsx'
import { type Finder, provide } from '../../web/product.ts'
import type { Routes } from '../../web/routes.ts'

const routes = import.meta.glob<Routes>('../../domains/*/web/routes.ts', {
  eager: true,
  import: 'routes',
})
const finders = import.meta.glob<Finder>('../../domains/*/web/finder.ts', {
  eager: true,
  import: 'finder',
})

/**
 * Everything behind the sign-in: the shell, and what it shows of the domains. Each page is a chunk
 * of its own.
 */
provide({
  routes: Object.assign({}, ...Object.values(routes)),
  finders: Object.values(finders),
  Badges: () => (
    <>
      <JobsBadge />
      <Bell />
      <Phone />
      <DutyBeat />
    </>
  ),
  ViewDialog: lazyDialog(async () => {
    const [{ locale }, found] = await Promise.all([
      import('../../domains/organisations/locale.ts'),
      import('../../domains/organisations/web/ViewDialog.tsx'),
    ])
    registerLocale('organisations', locale)
    return found.ViewDialog
  }),
  loadProofDialog: async () =>
    (await import('../../domains/session/web/ProofDialog.tsx')).ProofDialog,
  exportList,
  ScheduleDialog,
  scheduleRight: 'report:subscribe',
  uploadImage: async (file, own) =>
    (await import('../../domains/files/web/uploadImage.ts')).uploadImage(file, own),
})

export { App } from '../../web/App.tsx'
