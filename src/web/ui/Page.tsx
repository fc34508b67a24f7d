import type { ReactNode } from 'react'
import { useScreen } from '../useScreen.ts'
import styles from './Page.module.css'

type Props = {
  /** Default: the title of the screen. */
  title?: string
  /** What the page is for, beside its title. */
  lead?: ReactNode
  /** Right side of the title. */
  tools?: ReactNode
  /** A table or a matrix that reaches the edges. */
  bare?: boolean
  children: ReactNode
}

/** A page that is neither a list nor a form: one sheet with its title. */
export function Page({ title, lead, tools, bare = false, children }: Props) {
  const screen = useScreen()
  const name = title ?? screen.title
  return (
    <section className={`hd-sheet ${styles.page} ${bare ? styles.bare : ''}`} aria-label={name}>
      <header className={styles.head}>
        <h1>{name}</h1>
        {lead ? <p>{lead}</p> : null}
        {tools ? <div className={styles.tools}>{tools}</div> : null}
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  )
}
