import styles from './Login.module.css'

type Kind = 'bottle' | 'can' | 'cup' | 'bag' | 'box' | 'pill'
const shelves: readonly (readonly (Kind | null)[])[] = [
  ['bottle', 'bottle', 'can', 'bag', 'cup', 'box', 'bottle'],
  ['bag', 'can', 'box', 'box', 'bag', 'can', 'bottle'],
  ['bottle', null, 'bag', 'pill', 'cup', 'can', 'box'],
  ['bottle', 'bag', 'bottle', 'cup', 'box', 'can', 'bag'],
]

/** The picture of the product: one piece fell from its lane and lies in the tray. */
export function VendingMachine() {
  return (
    <svg className={styles.machine} viewBox="0 0 768 514" aria-hidden="true">
      <rect x=".5" y=".5" width="767" height="513" rx="15" className={styles.case} />
      {shelves.map((shelf, row) =>
        shelf.map((kind, column) => (
          <g
            // biome-ignore lint/suspicious/noArrayIndexKey: a picture never changes its order
            key={`${row}-${column}`}
            transform={`translate(${24 + column * 104.3} ${32 + row * 98.3})`}
          >
            {kind ? (
              <g transform="translate(45.5 48)">
                <Piece kind={kind} />
              </g>
            ) : null}
            <path
              d="M1 59.500h90"
              className={styles.shelf}
              strokeDasharray={kind ? undefined : '7 5'}
            />
          </g>
        )),
      )}
      <rect x="24" y="405" width="718" height="87" rx="9" className={styles.tray} />
      <g transform="translate(181 477)" className={styles.fallen}>
        <Piece kind="bottle" grow={1.18} />
      </g>
    </svg>
  )
}

/** Standing on y = 0, centred on x = 0. */
function Piece({ kind, grow = 1 }: { kind: Kind; grow?: number }) {
  const [light, deep] = [styles.light, styles.deep]
  const parts = {
    bottle: (
      <>
        <rect x="-5.500" y="-48" width="11" height="8" rx="2" className={deep} />
        <path
          d="M-4.500-38h9v4c0 4 5.500 6 5.500 12V-3a3 3 0 0 1-3 3H-7a3 3 0 0 1-3-3v-19c0-6 5.500-8 5.500-12z"
          className={light}
        />
        <rect x="-10" y="-21" width="20" height="12" className={deep} />
      </>
    ),
    can: (
      <>
        <rect x="-8" y="-48" width="16" height="4" rx="2" className={deep} />
        <rect x="-11" y="-43" width="22" height="43" rx="4" className={light} />
        <rect x="-11" y="-32" width="22" height="18" className={deep} />
      </>
    ),
    cup: (
      <>
        <rect x="-15.500" y="-43" width="31" height="7" rx="2" className={deep} />
        <path d="M-13-35h26L9.500-3a3 3 0 0 1-3 3h-13a3 3 0 0 1-3-3z" className={light} />
      </>
    ),
    bag: (
      <>
        <path
          d="M-10-46h20c3 0 3 4 1.500 10V-10C13-4 13 0 10 0h-20c-3 0-3-4-1.500-10v-26C-13-42-13-46-10-46z"
          className={light}
        />
        <circle cy="-24" r="9" className={deep} />
      </>
    ),
    box: (
      <>
        <rect x="-16" y="-32" width="32" height="32" rx="3" className={light} />
        <rect x="-16" y="-22" width="32" height="12" className={deep} />
      </>
    ),
    pill: (
      <>
        <path d="M0-25h9a9 9 0 0 1 0 18H0z" className={deep} />
        <path d="M0-25h-9a9 9 0 0 0 0 18H0z" className={light} />
      </>
    ),
  }
  return <g transform={`scale(${grow})`}>{parts[kind]}</g>
}
