import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiError } from '../../../web/call.ts'
import { Problem } from '../../../web/Problem.tsx'
import styles from './Home.module.css'
import { Bone } from './Kpis.tsx'

type Props<T> = {
  title: ReactNode
  note?: ReactNode
  extra?: ReactNode
  read: UseQueryResult<T, ApiError>
  /** Says that this part could not be loaded. */
  failed: string
  /** Rows of the skeleton. */
  rows: number
  children: (data: T) => ReactNode
}

/** One sheet of the dashboard: its title, then a skeleton, the content or what went wrong. Old content outlives a failed refresh. */
export function Card<T>({ title, note, extra, read, failed, rows, children }: Props<T>) {
  return (
    <section className={`hd-sheet ${styles.card}`}>
      <header>
        <h2>{title}</h2>
        {note ? <small>{note}</small> : null}
        <span className={styles.space} />
        {extra}
      </header>
      {read.data !== undefined ? (
        children(read.data)
      ) : read.isError ? (
        <Problem error={read.error} title={failed} onRetry={() => void read.refetch()} />
      ) : (
        <div className={styles.bones} aria-busy="true">
          {Array.from({ length: rows }, (_, n) => n).map((n) => (
            <Bone key={n} width={`${92 - ((n * 17) % 40)}%`} />
          ))}
        </div>
      )}
    </section>
  )
}
