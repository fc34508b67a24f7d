import styles from './StockBar.module.css'

/**
 * `189 / 324` with a 34×4 bar; amber from the warning value (or a fifth) on, rose number when
 * empty.
 */
export function StockBar({
  stock,
  capacity,
  warn,
  bar = true,
}: {
  stock: number
  capacity: number
  warn?: number | undefined
  bar?: boolean
}) {
  const low = stock <= (warn ?? capacity / 5)
  const share = capacity > 0 ? Math.min(1, Math.max(0, stock / capacity)) : 0
  return (
    <span className={styles.stock}>
      <span className={stock <= 0 ? styles.out : undefined}>{stock}</span>
      <span className={styles.capacity}>/ {capacity}</span>
      {bar ? (
        <span className={styles.bar} aria-hidden="true">
          <span data-low={low} style={{ width: `${share * 100}%` }} />
        </span>
      ) : null}
    </span>
  )
}
