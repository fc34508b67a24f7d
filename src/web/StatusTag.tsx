import type { ReactNode } from 'react'
import styles from './StatusTag.module.css'

/** Keys of theme.json; a state is always shape, colour and word together. */
export type Tone =
  | 'online'
  | 'success'
  | 'offline'
  | 'closed'
  | 'warn'
  | 'fault'
  | 'soldOut'
  | 'paid'
  | 'shipped'
  | 'refunded'
  | 'locked'

const shapes: Readonly<Record<Tone, ReactNode>> = {
  online: <circle cx="5" cy="5" r="4" />,
  success: <circle cx="5" cy="5" r="4" />,
  offline: <circle cx="5" cy="5" r="3.2" fill="none" strokeWidth="1.6" stroke="currentColor" />,
  closed: <circle cx="5" cy="5" r="3.2" fill="none" strokeWidth="1.6" stroke="currentColor" />,
  warn: <path d="M5 .8 9.600 9H.4z" />,
  fault: <rect x="1" y="1" width="8" height="8" rx=".6" />,
  soldOut: (
    <>
      <circle cx="5" cy="5" r="3.800" fill="none" strokeWidth="1.400" stroke="currentColor" />
      <path d="M7.600 2.400 2.400 7.600" strokeWidth="1.400" stroke="currentColor" />
    </>
  ),
  paid: (
    <>
      <circle cx="5" cy="5" r="4.200" opacity=".35" />
      <circle cx="5" cy="5" r="2.400" />
    </>
  ),
  shipped: <path d="M5 .6 9.400 5 5 9.400.6 5z" />,
  refunded: (
    <path
      d="M3.600 1.200 1.200 3.600 3.600 6M1.600 3.600h4.200a2.400 2.400 0 0 1 0 4.800H4"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.400"
    />
  ),
  locked: (
    <>
      <rect x="1.200" y="4.400" width="7.600" height="5" rx="1" />
      <path
        d="M3 4.400V3a2 2 0 0 1 4 0v1.400"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.300"
      />
    </>
  ),
}

/**
 * In tables: mark and word without a tint. `chip`: the tinted one for headers, order states and
 * phones.
 */
export function StatusTag({
  tone,
  children,
  chip = false,
  note,
}: {
  tone: Tone
  children: ReactNode
  chip?: boolean
  note?: ReactNode
}) {
  const color = {
    '--mark': `var(--hd-st-${tone}-mark)`,
    '--text': `var(--hd-st-${tone}-text)`,
    '--tint': `var(--hd-st-${tone}-bg)`,
  } as React.CSSProperties
  return (
    <span className={chip ? styles.chip : styles.plain} style={color} data-tone={tone}>
      <Mark tone={tone} />
      <span className={styles.word}>{children}</span>
      {note ? <small>{note}</small> : null}
    </span>
  )
}

/** The shape alone, beside a word that stands elsewhere. */
export const Mark = ({ tone }: { tone: Tone }) => (
  <svg
    className={styles.mark}
    style={{ color: `var(--hd-st-${tone}-mark)` }}
    width="9"
    height="9"
    viewBox="0 0 10 10"
    fill="currentColor"
    aria-hidden="true"
  >
    {shapes[tone]}
  </svg>
)
