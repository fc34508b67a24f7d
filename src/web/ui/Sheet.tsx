import type { ReactNode } from 'react'
import styles from './Sheet.module.css'

/** A sheet of a page: what it is, a quiet word beside it, a state or a button at its end. */
export const Sheet = ({
  title,
  note,
  end,
  label,
  flush = false,
  children,
}: {
  title?: ReactNode
  note?: ReactNode
  end?: ReactNode
  /** Name for those who do not see it; default: the title. */
  label?: string
  /** What stands in it reaches its edges. */
  flush?: boolean
  children: ReactNode
}) => (
  <section
    className={`hd-sheet ${flush ? '' : styles.sheet}`}
    aria-label={label ?? (typeof title === 'string' ? title : undefined)}
  >
    {title ? (
      <header className={flush ? styles.flush : styles.head}>
        <h2>{title}</h2>
        {note ? <small>{note}</small> : null}
        {end ? <span>{end}</span> : null}
      </header>
    ) : null}
    {children}
  </section>
)

/** A part of a sheet, a drawer or a dialog with a heading of its own. */
export const Part = ({
  title,
  end,
  children,
}: {
  title: string
  end?: ReactNode
  children: ReactNode
}) => (
  <section className={styles.part} aria-label={title}>
    <header className={styles.head}>
      <h3>{title}</h3>
      {end ? <span>{end}</span> : null}
    </header>
    {children}
  </section>
)

/** The title of a page that is no list, with ways to other pages or its acts at the end. */
export const PageHead = ({ title, children }: { title: ReactNode; children?: ReactNode }) => (
  <header className={styles.page}>
    <h1>{title}</h1>
    {children}
  </header>
)

type Pair = readonly [label: ReactNode, value: ReactNode]
const shown = (value: ReactNode) =>
  value === null || value === undefined || value === '' ? <span className="hd-none">—</span> : value

const Named = ({ items, as }: { items: readonly Pair[]; as: string | undefined }) => (
  <dl className={as}>
    {items.map(([label, value], index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: named values never change their order
      <div key={index}>
        <dt>{label}</dt>
        <dd>{shown(value)}</dd>
      </div>
    ))}
  </dl>
)

/** Named values below each other: label left, value right. */
export const Pairs = ({ items }: { items: readonly Pair[] }) => (
  <Named items={items} as={styles.pairs} />
)

/** Named values side by side: a small label above what counts. */
export const Figures = ({ items }: { items: readonly Pair[] }) => (
  <Named items={items} as={styles.figures} />
)

/**
 * Things below each other with a hairline between: each `li` fills the columns; on a phone it
 * wraps.
 */
export const Lines = ({ columns, children }: { columns: string; children: ReactNode }) => (
  <ul className={styles.lines} style={{ '--columns': columns } as React.CSSProperties}>
    {children}
  </ul>
)
