import { InputNumber } from 'antd'

type Props = {
  readonly id?: string
  /** Name for those who do not see it, where no label stands beside it. */
  readonly label?: string
  readonly value?: number | null
  readonly onChange?: (bp: number | null) => void
  readonly placeholder?: string
}

/** Percent with two decimals in the field, basis points in the value. */
export function PercentInput({ label, value, onChange, ...rest }: Props) {
  return (
    <InputNumber
      {...rest}
      {...(label ? { 'aria-label': label } : {})}
      style={{ width: '100%' }}
      precision={2}
      suffix="%"
      value={typeof value === 'number' ? value / 100 : null}
      onChange={(next) => onChange?.(next === null ? null : Math.round(Number(next) * 100))}
    />
  )
}
