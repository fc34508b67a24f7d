import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { mostWindows } from '../rules.ts'
import styles from './group.module.css'

type Window = { from: string; to: string }
type Props = { id?: string; value?: Window[]; onChange?: (next: Window[]) => void }

/** Hours of a day. A clock has no 24:00: a window that ends at 00:00 goes to the end of the day. */
export function Windows({ id, value = [], onChange }: Props) {
  const { t } = useTranslation('programGroups')
  const put = (at: number, part: Partial<Window>) =>
    onChange?.(value.map((one, i) => (i === at ? { ...one, ...part } : one)))
  return (
    <div className={styles.windows} id={id}>
      {value.map(({ from, to }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a window has no other name than its place
        <span key={at} className={styles.window}>
          <Input
            type="time"
            value={from}
            aria-label={t('fields.from')}
            onChange={(event) => put(at, { from: event.target.value })}
          />
          –
          <Input
            type="time"
            value={to === '24:00' ? '00:00' : to}
            aria-label={t('fields.to')}
            onChange={(event) =>
              put(at, { to: event.target.value === '00:00' ? '24:00' : event.target.value })
            }
          />
          <Button
            type="text"
            icon={<DeleteOutlined />}
            disabled={value.length < 2}
            aria-label={t('remove')}
            onClick={() => onChange?.(value.filter((_, i) => i !== at))}
          />
        </span>
      ))}
      {value.length < mostWindows ? (
        <Button
          type="dashed"
          icon={<PlusOutlined />}
          onClick={() => onChange?.([...value, { from: '08:00', to: '20:00' }])}
        >
          {t('addWindow')}
        </Button>
      ) : null}
    </div>
  )
}
