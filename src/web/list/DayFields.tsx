import { DatePicker } from 'antd'
import { shanghaiClock, shanghaiDay } from '../../shared/instants.ts'
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
    {...(presets
      ? {
          presets: presets.map(({ label, days }) => ({
            label,
            value: [dayjs(days[0]), dayjs(days[1])],
          })),
        }
      : {})}
    {...(off
      ? { disabledDate: (day, { from }) => off(day.format(format), from?.format(format)) }
      : {})}
    onChange={(range) =>
      onChange([range?.[0]?.format(format) ?? null, range?.[1]?.format(format) ?? null])
    }
  />
)

export const Day = ({ value, onChange, ...rest }: DayProps) => (
  <DatePicker
    {...rest}
    value={read(value)}
    format={format}
    onChange={(day) => onChange(day?.format(format) ?? null)}
  />
)

export type InstantProps = Shared & {
  readonly id?: string
  readonly days?: number
  readonly value?: string | null
  readonly onChange?: (instant: string | null) => void
  readonly onBlur?: () => void
}

/** What the clock says in Shanghai, whatever zone the browser is in: the list shows it so, too. */
const clock = (instant: string) => dayjs(shanghaiClock(new Date(instant)).slice(0, 16))

const dayAt = (ahead: number) => shanghaiDay(new Date(Date.now() + ahead * 86_400_000))

/** A moment to come, to the minute, at most `days` ahead; null for none. */
export const Instant = ({
  days = 36_500,
  className,
  style,
  value,
  onChange,
  onBlur,
  ...rest
}: InstantProps) => (
  <DatePicker
    {...rest}
    {...(className ? { className } : { style: style ?? { width: '100%' } })}
    showTime={{ format: 'HH:mm' }}
    format="YYYY-MM-DD HH:mm"
    value={value ? clock(value) : null}
    disabledDate={(day) =>
      day.format('YYYY-MM-DD') < dayAt(0) || day.format('YYYY-MM-DD') > dayAt(days)
    }
    onChange={(next) =>
      onChange?.(
        next ? new Date(`${next.format('YYYY-MM-DDTHH:mm')}:00+08:00`).toISOString() : null,
      )
    }
    // Enter takes the typed moment; it does not save the form
    onKeyDown={(event) => {
      if (event.key === 'Enter') event.preventDefault()
    }}
    {...(onBlur ? { onBlur } : {})}
  />
)
