import type { ReactNode } from 'react'

/**
 * Things beside each other in a cell of a list, where an antd Flex would cost more than what it
 * holds. `whole`: takes the room that is left, and keeps the spaces of its text.
 */
export const Side = ({
  gap = 0,
  whole = false,
  title,
  children,
}: {
  gap?: number
  whole?: boolean
  title?: string
  children: ReactNode
}) => (
  <div
    title={title}
    style={{
      display: 'flex',
      alignItems: 'center',
      gap,
      ...(whole ? { flex: 1, minWidth: 0, whiteSpace: 'pre' } : {}),
    }}
  >
    {children}
  </div>
)
