import { Picture } from '../../../web/Picture.tsx'
import styles from './users.module.css'

/** Somebody's picture, or the first character of his name. */
export function Face({ src, name, size = 24 }: { src: string; name: string; size?: number }) {
  if (src) return <Picture src={src} alt={name} size={size} />
  return (
    <span className={styles.face} style={{ width: size, height: size }} aria-hidden>
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}
