import type { ReactNode } from 'react'
import styles from './Text.module.css'

/** What stands back behind the values. */
export const Muted = ({ children, small = false }: { children: ReactNode; small?: boolean }) => (
  <span className={`${styles.muted} ${small ? styles.small : ''}`}>{children}</span>
)

/** A quiet sentence above a table or a chart. */
export const Lead = ({ children }: { children: ReactNode }) => (
  <p className={`${styles.muted} ${styles.block}`}>{children}</p>
)

/** A value that is wrong as it stands: sold below its cost, late. */
export const Bad = ({ when = true, children }: { when?: boolean; children: ReactNode }) => (
  <span className={when ? styles.bad : undefined}>{children}</span>
)

/** The part of a line that gives way: cut at its end. `own`: takes no more room than it needs. */
export const Cut = ({
  children,
  title,
  own = false,
}: {
  children: ReactNode
  title?: string
  own?: boolean
}) => (
  <span className={`${styles.cut} ${own ? styles.own : ''}`} title={title}>
    {children}
  </span>
)
