import styles from './orders.module.css'
import type { Station } from './stations.ts'

/**
 * Done is a green disc, under way a ring, not reached a hollow circle; the failing station is the
 * only square one.
 */
export const StationMark = ({ state }: { state: Station['state'] }) => (
  <svg
    className={styles.mark}
    data-state={state}
    width="16"
    height="16"
    viewBox="0 0 16 16"
    aria-hidden="true"
  >
    {shapes[state]}
  </svg>
)

const line = {
  fill: 'none',
  stroke: 'var(--hd-sheet)',
  strokeWidth: 1.6,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const
const shapes = {
  done: (
    <>
      <circle cx="8" cy="8" r="8" fill="currentColor" />
      <path d="M4.700 8.200 7 10.500 11.400 5.900" {...line} />
    </>
  ),
  bad: (
    <>
      <rect x=".5" y=".5" width="15" height="15" rx="2" fill="currentColor" />
      <path d="M8 4v5M8 11.900v.1" {...line} strokeWidth={2} />
    </>
  ),
  now: (
    <>
      <circle cx="8" cy="8" r="7" fill="var(--hd-sheet)" stroke="currentColor" strokeWidth="2" />
      <circle cx="8" cy="8" r="3" fill="currentColor" />
    </>
  ),
  back: (
    <>
      <circle cx="8" cy="8" r="8" fill="currentColor" />
      <path
        d="M6.400 4.600 4.300 6.700l2.100 2.100M4.600 6.700h4.600a2.200 2.200 0 0 1 0 4.400H7.400"
        {...line}
        strokeWidth={1.5}
      />
    </>
  ),
  todo: (
    <circle
      cx="8"
      cy="8"
      r="7.200"
      fill="var(--hd-sheet)"
      stroke="currentColor"
      strokeWidth="1.600"
    />
  ),
}
