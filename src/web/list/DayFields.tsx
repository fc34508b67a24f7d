import { DatePicker } from 'antd'
import { dayjs } from '../calendar.ts'

type Shared = {
  readonly className?: string
  readonly style?: React.CSSProperties
  readonly 'aria-label'?: string
  readonly autoFocus?: boolean
  readonly defaultOpen?: boolean
}
type Days = readonly [string | null, string | null]
export type DayRangeProps = Shared & {
  readonly value: Days
  readonly placeholder?: [string, string]
  readonly onChange: (range: [string | null, string | null]) => void
  /** What is shown is what is listed anyway: there is nothing to take away. */
  readonly allowClear?: boolean
  readonly presets?: readonly { readonly label: string; readonly days: readonly [string, string] }[]
  /** Days nobody can choose; `from` is the end that is chosen already. */
  readonly off?: (day: string, from: string | undefined) => boolean
}
export type DayProps = Shared & {
  readonly value: string | null
  readonly placeholder: string
  readonly onChange: (day: string | null) => void
}

const format = 'YYYY-MM-DD'
const read = (text: string | null) => (text === null ? null : dayjs(text))

/** From and to as texts of the business calendar. */
export const DayRange = ({ value, onChange, presets, off, ...rest }: DayRangeProps) => (
  <DatePicker.RangePicker
    {...rest}
    value={[read(value[0]), read(value[1])]}
    allowEmpty={[true, true]}
    format={format}
    {...(presets ? { presets: presets.map(({ label, days }) => ({ label, value: [dayjs(days[0]), dayjs(days[1])] })) } : {})}
    {...(off ? { disabledDate: (day, { from }) => off(day.format(format), from?.format(format)) } : {})}
    onChange={(range) => onChange([range?.[0]?.format(format) ?? null, range?.[1]?.format(format) ?? null])}
  />
)

export const Day = ({ value, onChange, ...rest }: DayProps) => (
  <DatePicker {...rest} value={read(value)} format={format} onChange={(day) => onChange(day?.format(format) ?? null)} />
)
