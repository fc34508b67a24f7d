import { registerLocale } from '../../../web/i18n.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'

/** Maps are heavy: they and their texts load where one is shown. */
const withTexts = async <T,>(part: Promise<T>): Promise<T> => {
  const [{ locale }, found] = await Promise.all([import('../locale.ts'), part])
  registerLocale('geo', locale)
  return found
}

/** A map with our outlines, or the platform's tiles; the page draws on it in `onMap`. */
export const GeoMap = lazyDialog(() => withTexts(import('./GeoMap.tsx')).then((m) => m.GeoMap))

/** Places on a map in the order in which one goes to them. */
export const Trail = lazyDialog(() => withTexts(import('./Trail.tsx')).then((m) => m.Trail))

/**
 * Below the fields `county`, `address`, `lng` and `lat` of a form: opens the map and fills them.
 */
export const PlaceOnMap = lazyDialog(() =>
  withTexts(import('./PlaceOnMap.tsx')).then((m) => m.PlaceOnMap),
)
