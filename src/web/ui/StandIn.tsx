import CalendarOutlined from '@ant-design/icons/es/icons/CalendarOutlined'
import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import {
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useId,
} from 'react'

export type StandInProps = {
  readonly looks: 'select' | 'day' | 'range'
  readonly texts: readonly ReactNode[]
  readonly placeholders: readonly ReactNode[]
  readonly prefix?: ReactNode
  readonly className?: string
  readonly style?: CSSProperties
  readonly size?: string
  readonly disabled?: boolean
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-required'?: boolean | 'true' | 'false'
  readonly onPointerEnter: () => void
  readonly onClick: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onFocus: (event: FocusEvent<HTMLElement>) => void
  readonly onBlur: (event: FocusEvent<HTMLElement>) => void
}

/** What a closed select or date field shows, without its machinery: same room, same words. */
export function StandIn(props: StandInProps) {
  const {
    looks,
    texts,
    placeholders,
    prefix,
    className = '',
    style,
    size,
    disabled = false,
    id,
  } = props
  const own = useId()
  const isDate = looks !== 'select'
  return (
    <button
      type="button"
      className={`hd-fake ${isDate ? 'ant-picker' : 'ant-select'} ${className}`}
      {...(style ? { style } : {})}
      {...(id ? { id } : {})}
      data-size={size}
      role="combobox"
      aria-haspopup={isDate ? 'dialog' : 'listbox'}
      aria-expanded="false"
      disabled={disabled}
      aria-label={props['aria-label']}
      aria-labelledby={props['aria-label'] || id ? undefined : own}
      aria-required={props['aria-required']}
      onPointerEnter={props.onPointerEnter}
      onFocus={props.onFocus}
      onBlur={props.onBlur}
      onKeyDown={props.onKeyDown}
      onClick={props.onClick}
    >
      {prefix ? (
        <span id={own} className="hd-fake-prefix">
          {prefix}
        </span>
      ) : null}
      {(looks === 'range' ? [0, 1] : [0]).map((index) => (
        <span
          key={index}
          {...(prefix || index > 0 ? {} : { id: own })}
          data-arrow={index === 1}
          className={`hd-fake-text ${texts[index] ? 'ant-select-content' : 'hd-fake-empty ant-select-placeholder'}`}
        >
          {texts[index] ?? placeholders[index] ?? placeholders[0]}
        </span>
      ))}
      <span className="hd-fake-icon">{isDate ? <CalendarOutlined /> : <DownOutlined />}</span>
    </button>
  )
}
