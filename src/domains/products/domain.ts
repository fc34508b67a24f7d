import type { Domain } from '../../server/domain.ts'
import { products } from './contract.ts'
import { locale } from './locale.ts'
import { screens } from './screens.ts'

/** Goods and their categories. */
export const domain = {
  contract: products,
  handlers: async () => (await import('./server/verbs.ts')).handlers,
  locale,
  screens,
  importer: async () => (await import('./server/importer.ts')).productImporter,
  topics: { products: { rights: ['product:read', 'product-category:read'], shared: true } },
  open: {
    'server/cost.ts': 'who knows what a product costs',
    'web/DrugMark.tsx': 'the mark that the law asks for',
  },
} satisfies Domain<typeof products>
