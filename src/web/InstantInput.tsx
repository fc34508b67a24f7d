import { DatePicker } from 'antd'
import { shanghaiClock, shanghaiDay } from '../shared/instants.ts'
import { dayjs } from './calendar.ts'

type Props = {
  id?: string
  label?: string
  days?: number
  className?: string | undefined
  value?: string | null
  onChange?: (instant: string | null) => void
  onBlur?: () => void
}

/** What the clock says in Shanghai, whatever zone the browser is in: the list shows it so, too. */
const clock = (instant: string) => dayjs(shanghaiClock(new Date(instant)).slice(0, 16))

const dayAt = (ahead: number) => shanghaiDay(new Date(Date.now() + ahead * 86_400_000))

/** A moment to come, to the minute, at most `days` ahead; null for none. */
export const InstantInput = ({ id, label, days = 36_500, className, value, onChange, onBlur }: Props) => (
  <DatePicker
    {...(id ? { id } : {})}
    {...(label ? { 'aria-label': label } : {})}
    {...(className ? { className } : { style: { width: '100%' } })}
    showTime={{ format: 'HH:mm' }}
    format="YYYY-MM-DD HH:mm"
    value={value ? clock(value) : null}
    disabledDate={(day) => day.format('YYYY-MM-DD') < dayAt(0) || day.format('YYYY-MM-DD') > dayAt(days)}
    onChange={(next) => onChange?.(next ? new Date(`${next.format('YYYY-MM-DDTHH:mm')}:00+08:00`).toISOString() : null)}
    // Enter takes the typed moment; it does not save the form
    onKeyDown={(event) => {
      if (event.key === 'Enter') event.preventDefault()
    }}
    {...(onBlur ? { onBlur } : {})}
  />
)
