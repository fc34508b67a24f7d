import { href } from './base.ts'
import styles from './Picture.module.css'
import { Silhouette, type SilhouetteKind, type Tint } from './pictures/silhouettes.tsx'

/**
 * A product's picture, or a silhouette of its kind on a tint. `src` is the `files/…` path of the
 * contract.
 */
export function Picture({
  src,
  kind = 'box',
  tint = 'grey',
  size = 32,
  alt = '',
}: {
  src: string | null | undefined
  kind?: SilhouetteKind
  tint?: Tint
  size?: number
  alt?: string
}) {
  if (!src)
    return (
      <span className={styles.picture}>
        <Silhouette kind={kind} tint={tint} size={size} ground />
      </span>
    )
  return (
    <img
      className={styles.picture}
      src={href(src)}
      alt={alt}
      width={size}
      height={size}
      loading="lazy"
    />
  )
}
