import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { ExportWish } from '../../../web/product.ts'

/** Template, file, what is wrong with it, confirmation. Render it only while open. */
export const ImportDialog = lazyDialog(() =>
  import('./ImportDialog.tsx').then((m) => m.ImportDialog),
)

/** Loaded with the first export. */
export const exportList = async (wish: ExportWish): Promise<void> =>
  (await import('./exportList.ts')).exportList(wish)
