import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import 'dayjs/locale/zh-cn'
import { usePrefs } from '../prefs.ts'

type Shared = {
  readonly className?: string
  readonly style?: React.CSSProperties
  readonly 'aria-label'?: string
  readonly autoFocus?: boolean
  readonly defaultOpen?: boolean
}
export type DayRangeProps = Shared & {
  readonly value: readonly [string | null, string | null]
  readonly placeholder: [string, string]
  readonly onChange: (range: [string | null, string | null]) => void
}
export type DayProps = Shared & { readonly value: string | null; readonly placeholder: string; readonly onChange: (day: string | null) => void }

const format = 'YYYY-MM-DD'
const read = (text: string | null) => (text === null ? null : dayjs(text))

/** From and to as texts of the business calendar. */
export function DayRange({ value, onChange, ...rest }: DayRangeProps) {
  useCalendarWords()
  return (
    <DatePicker.RangePicker
      {...rest}
      value={[read(value[0]), read(value[1])]}
      allowEmpty={[true, true]}
      format={format}
      onChange={(range) => onChange([range?.[0]?.format(format) ?? null, range?.[1]?.format(format) ?? null])}
    />
  )
}

export function Day({ value, onChange, ...rest }: DayProps) {
  useCalendarWords()
  return <DatePicker {...rest} value={read(value)} format={format} onChange={(day) => onChange(day?.format(format) ?? null)} />
}

/** Names of months and days. */
function useCalendarWords(): void {
  const { lang } = usePrefs()
  dayjs.locale(lang === 'en' ? 'en' : 'zh-cn')
}
