import CalendarOutlined from '@ant-design/icons/es/icons/CalendarOutlined'
import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import { type FocusEvent, type ReactNode, useId } from 'react'

type Choice = { readonly value?: unknown; readonly label?: ReactNode; readonly children?: readonly Choice[] }
type Day = { format(pattern: string): string }
export type FakeProps = {
  readonly name: string
  readonly value?: unknown
  readonly options?: readonly Choice[]
  readonly prefix?: ReactNode
  readonly placeholder?: ReactNode | readonly string[]
  readonly format?: string
  readonly className?: string
  readonly style?: React.CSSProperties
  readonly size?: string
  readonly disabled?: boolean
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-required'?: boolean
  readonly onPointerEnter: () => void
  readonly onPointerDown: () => void
  readonly onClick: () => void
  readonly onFocus: (event: FocusEvent) => void
}

/** What a closed select or date field shows, without its machinery: same room, same words. */
export function Fake(props: FakeProps) {
  const { name, prefix, className = '', style, size, disabled = false, id } = props
  const own = useId()
  const isDate = /picker/i.test(name)
  const texts = isDate ? days(props) : choices(props)
  const placeholders = [props.placeholder ?? ''].flat() as ReactNode[]
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
      onPointerDown={props.onPointerDown}
      onFocus={props.onFocus}
      onClick={props.onClick}
    >
      {prefix ? (
        <span id={own} className="hd-fake-prefix">
          {prefix}
        </span>
      ) : null}
      {(isDate && name === 'RangePicker' ? [0, 1] : [0]).map((index) => (
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

const isDay = (found: unknown): found is Day => typeof found === 'object' && found !== null && 'format' in found
const days = ({ value, format = 'YYYY-MM-DD' }: FakeProps): (string | undefined)[] =>
  [value].flat().map((day) => (isDay(day) ? day.format(format) : typeof day === 'string' ? day : undefined))

/** The words of the chosen values, joined when there are several; for a tree of choices the path. */
function choices({ value, options = [] }: FakeProps): ReactNode[] {
  if (value === undefined || value === null || value === '') return []
  const values = [value].flat()
  if (values.length === 0) return []
  let level: readonly Choice[] = options
  const words = values.map((item) => {
    if (typeof item === 'object' && item !== null && 'label' in item) return (item as Choice).label
    const found = level.find((choice) => choice.value === item) ?? flat(options).find((choice) => choice.value === item)
    if (found?.children) level = found.children
    return found?.label ?? String(item)
  })
  return [words.every((word) => typeof word === 'string') ? words.join(level === options ? ', ' : ' / ') : words[0]]
}
const flat = (options: readonly Choice[]): readonly Choice[] => options.flatMap((choice) => [choice, ...flat(choice.children ?? [])])
