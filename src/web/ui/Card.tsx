import { Fragment, type ReactNode } from 'react'
import styles from './Card.module.css'

/** Head of a phone card: picture, name over a quiet line, state or actions at the end. */
export const CardHead = ({
  picture,
  title,
  lines,
  end,
}: {
  picture?: ReactNode
  title: ReactNode
  lines?: readonly ReactNode[]
  end?: ReactNode
}) => (
  <div className={styles.head}>
    {picture}
    <div className={styles.text}>
      <strong>{title}</strong>
      <span>
        {lines?.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never change their order
          <Fragment key={index}>
            {index > 0 ? ' · ' : null}
            {line}
          </Fragment>
        ))}
      </span>
    </div>
    {end}
  </div>
)

/** Named values one after the other, as many to a line as fit. */
export const Facts = ({
  items,
}: {
  items: readonly (readonly [label: string, value: ReactNode])[]
}) =>
  items.length === 0 ? null : (
    <div className={styles.facts}>
      {items.map(([label, value]) => (
        <span key={label}>
          {label} <b>{value}</b>
        </span>
      ))}
    </div>
  )
