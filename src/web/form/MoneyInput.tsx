import { Input } from 'antd'
import { useEffect, useState } from 'react'
import { parseYuan, plainYuan } from '../../shared/money.ts'

type Props = {
  id?: string
  value?: number | null
  onChange?: (value: number | null) => void
  onBlur?: () => void
  disabled?: boolean
  placeholder?: string
  'aria-label'?: string
}

const typed = (fen: number | null | undefined): string =>
  fen === null || fen === undefined || Number.isNaN(fen) ? '' : plainYuan(fen)

/**
 * What is typed is yuan, what comes out is fen; what is no amount comes out as NaN, which every
 * contract refuses.
 */
export function MoneyInput({
  id,
  value,
  onChange,
  onBlur,
  disabled = false,
  placeholder = '',
  ...named
}: Props) {
  const [text, setText] = useState(typed(value))
  useEffect(() => {
    if (!Number.isNaN(value))
      setText((held) =>
        (parseYuan(held) ?? undefined) === (value ?? undefined) ? held : typed(value),
      )
  }, [value])
  const change = (next: string) => {
    setText(next)
    onChange?.(next.trim() === '' ? null : (parseYuan(next) ?? Number.NaN))
  }
  return (
    <Input
      {...(id ? { id } : {})}
      {...named}
      prefix="¥"
      inputMode="decimal"
      autoComplete="off"
      maxLength={14}
      disabled={disabled}
      placeholder={placeholder}
      value={text}
      onChange={(event) => change(event.target.value)}
      onBlur={() => {
        if (value !== null && value !== undefined && !Number.isNaN(value)) setText(typed(value))
        onBlur?.()
      }}
    />
  )
}
