import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiError } from '../../../web/call.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Sheet } from '../../../web/ui/Sheet.tsx'

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

/**
 * One sheet of the dashboard: its title, then a skeleton, the content or what went wrong. Old
 * content outlives a failed refresh.
 */
export function Card<T>({ title, note, extra, read, failed, rows, children }: Props<T>) {
  return (
    <Sheet title={title} note={note} end={extra}>
      {read.data !== undefined ? (
        children(read.data)
      ) : read.isError ? (
        <Problem error={read.error} title={failed} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton rows={rows} />
      )}
    </Sheet>
  )
}
