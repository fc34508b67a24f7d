import type { ReactNode } from 'react'
import type { Tone } from '../StatusTag.tsx'
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

/** A word about a record beside its name: pinned, a role it holds; `tone`: in this colour. */
export const Chip = ({ tone, children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={styles.chip}
    style={tone && { background: `var(--hd-st-${tone}-bg)`, color: `var(--hd-st-${tone}-text)` }}
  >
    {children}
  </span>
)

/** The colour of a chip where there is no room for its word. */
export const Dot = ({ tone }: { tone: Tone }) => (
  <span className={styles.dot} style={{ background: `var(--hd-st-${tone}-mark)` }} />
)

/**
 * A long number where there is little room: its last six characters tell one from another, so they
 * stay.
 */
export const Tail = ({ text }: { text: string }) => (
  <span className={styles.tail} title={text}>
    <Cut>{text.slice(0, -6)}</Cut>
    {text.slice(-6)}
  </span>
)
