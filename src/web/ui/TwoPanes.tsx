import type { ReactNode } from 'react'
import styles from './TwoPanes.module.css'

/** A page of two parts: what is chosen on the left, or above on a phone, and what that shows. */
export const TwoPanes = ({ side, children }: { side: ReactNode; children: ReactNode }) => (
  <div className={styles.page}>
    {side}
    <div>{children}</div>
  </div>
)

/** The left part: a search or a button above, and below it what scrolls. */
export const SidePanel = ({
  label,
  head,
  children,
}: {
  label: string
  head: ReactNode
  children: ReactNode
}) => (
  <aside className={`hd-sheet ${styles.panel}`} aria-label={label}>
    <div>{head}</div>
    <div>{children}</div>
  </aside>
)
