import MinusOutlined from '@ant-design/icons/es/icons/MinusOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { useTranslation } from 'react-i18next'
import styles from './phone.module.css'

type Props = {
  /** For those who do not see where it stands. */
  label: string
  value: number
  most: number
  /** What is put in has a plus. */
  plus?: boolean
  onChange: (value: number) => void
}

/** A number for a thumb in a glove; it can be typed, too. */
export function Stepper({ label, value, most, plus = false, onChange }: Props) {
  const { t } = useTranslation('replenishment')
  const to = (n: number) => onChange(Math.max(0, Math.min(most, n)))
  return (
    <span className={styles.stepper}>
      <button
        type="button"
        aria-label={`${label} ${t('phone.fewer')}`}
        disabled={value <= 0}
        onClick={() => to(value - 1)}
      >
        <MinusOutlined />
      </button>
      <input
        aria-label={label}
        inputMode="numeric"
        data-zero={value === 0}
        value={plus && value > 0 ? `+${value}` : value}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => {
          const typed = target.value.replace(/\D/g, '')
          to(typed === '' ? 0 : Number(typed.slice(-3)))
        }}
      />
      <button
        type="button"
        aria-label={`${label} ${t('phone.another')}`}
        disabled={value >= most}
        onClick={() => to(value + 1)}
      >
        <PlusOutlined />
      </button>
    </span>
  )
}

/** One of a few words, as buttons that a thumb finds. */
export function Chips<T extends string | number>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T | null
  options: readonly { value: T; label: string; note?: string; disabled?: boolean }[]
  onChange: (value: T) => void
}) {
  return (
    <fieldset className={styles.chips}>
      <legend>{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          disabled={option.disabled}
          onClick={() => onChange(option.value)}
        >
          {option.label}
          {option.note ? <small>{option.note}</small> : null}
        </button>
      ))}
    </fieldset>
  )
}
