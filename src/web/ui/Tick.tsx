import type { ChangeEvent } from 'react'
import styles from './Tick.module.css'

/**
 * A box to tick in each row of a list. antd's brings its wave, its styles and four contexts; twenty
 * of them are a third of what turning a page costs.
 */
export const Tick = ({
  label,
  checked,
  some = false,
  disabled,
  onChange,
}: {
  label: string
  checked: boolean
  /** Not all, and not none. */
  some?: boolean
  disabled: boolean
  onChange: (event: ChangeEvent<HTMLInputElement>) => void
}) => (
  <input
    type="checkbox"
    className={styles.tick}
    aria-label={label}
    checked={checked}
    disabled={disabled}
    ref={(node) => {
      if (node) node.indeterminate = some
    }}
    onChange={onChange}
  />
)
