import type { ReactNode } from 'react'
import styles from './Figure.module.css'

type Props = {
  label: ReactNode
  value: ReactNode
  note?: ReactNode
  change?: number | null
  /** Less of it is better. */
  fewer?: boolean
  chart?: ReactNode
}

/** One figure of a dashboard. `change` is a share (0.082): the arrow is its direction. */
export function Figure({ label, value, note, change, fewer = false, chart }: Props) {
  return (
    <div className={styles.figure}>
      <div className={styles.label}>{label}</div>
      {chart ? <div className={styles.chart}>{chart}</div> : null}
      <div className={styles.value}>{value}</div>
      <div className={styles.note}>
        {change === undefined || change === null ? null : (
          <span className={change < 0 === fewer ? styles.up : styles.down}>
            {change < 0 ? '↓' : '↑'} {Math.abs(change * 100).toFixed(1)}%
          </span>
        )}
        {note}
      </div>
    </div>
  )
}

/** Figures in one sheet, divided by lines. */
export const FigureRow = ({ children }: { children: ReactNode }) => (
  <div className={`hd-sheet ${styles.row}`}>{children}</div>
)
