import '../../web/nonce.ts'
import '../../web/global.css'
import { WhyNot } from '../../domains/roles/web/pickers.tsx'
import type { Screen } from '../../shared/screens.ts'
import { start } from '../../web/entry.tsx'
import { provide } from '../../web/product.ts'
import type { Routes } from '../../web/routes.ts'

const screens = import.meta.glob<readonly Screen[]>('../../domains/*/screens.ts', {
  eager: true,
  import: 'screens',
})
const publicRoutes = import.meta.glob<Routes>('../../domains/*/web/publicRoutes.ts', {
  eager: true,
  import: 'publicRoutes',
})

provide({
  screens: Object.values(screens).flat(),
  publicRoutes: Object.assign({}, ...Object.values(publicRoutes)),
  WhyNot,
})
start(() => import('./inside.tsx').then(({ App }) => App))
