import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import styles from './notices.module.css'

type Props = { id?: string; value?: string | null; onChange?: (instant: string | null) => void; onBlur?: () => void }

/** A moment to come, to the minute; null for none. */
export const InstantInput = ({ id, value, onChange, onBlur }: Props) => (
  <DatePicker
    {...(id ? { id } : {})}
    className={styles.full ?? ''}
    showTime={{ format: 'HH:mm' }}
    format="YYYY-MM-DD HH:mm"
    value={value ? dayjs(value) : null}
    disabledDate={(day) => day.isBefore(dayjs().startOf('day'))}
    onChange={(next) => onChange?.(next ? next.second(0).millisecond(0).toISOString() : null)}
    {...(onBlur ? { onBlur } : {})}
  />
)
