import { DatePicker, Pagination, Select, Skeleton } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { Time } from '../../../web/Time.tsx'
import { devices } from '../contract.ts'
import { type TimelineRow, timelineGroups } from '../historyContract.ts'
import styles from './devices.module.css'

type Group = (typeof timelineGroups)[number]

/** What the machine said and what happened around it, newest first, with the gaps between. */
export function DeviceTimeline({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation(['devices', 'web'])
  const [page, setPage] = useState(1)
  const [group, setGroup] = useState<Group | null>(null)
  const [range, setRange] = useState<readonly [Dayjs, Dayjs] | null>(null)
  const days = range
    ? { from: range[0].format('YYYY-MM-DD'), to: range[1].format('YYYY-MM-DD') }
    : {}
  const read = useRead(
    devices.timeline,
    { id: deviceId, page, pageSize: 50, ...(group ? { group } : {}), ...days },
    { inline: true, keep: true },
  )
  useLive('devices', [devices.timeline.path])
  useLive('commands', [devices.timeline.path])
  useLive('shadows', [devices.timeline.path])
  const shown = read.data
  return (
    <>
      <div className={styles.filters}>
        <Select<Group>
          allowClear
          value={group}
          aria-label={t('timeline.group')}
          placeholder={t('timeline.all')}
          options={timelineGroups.map((value) => ({ value, label: t(`enums.group.${value}`) }))}
          onChange={(value: Group | undefined) => {
            setGroup(value ?? null)
            setPage(1)
          }}
        />
        <DatePicker.RangePicker
          className={styles.range ?? ''}
          placeholder={[t('web:list.from'), t('web:list.to')]}
          value={range ? [range[0], range[1]] : null}
          disabledDate={(day) => day.isAfter(dayjs(), 'day')}
          onChange={(found) => {
            setRange(found?.[0] && found[1] ? [found[0], found[1]] : null)
            setPage(1)
          }}
        />
      </div>
      {read.error && !shown ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : null}
      {!shown && !read.error ? <Skeleton active /> : null}
      {shown?.total === 0 ? (
        <Empty title={t(range || group ? 'timeline.none' : 'timeline.empty')} />
      ) : null}
      <div className={styles.events}>
        {shown?.list.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </div>
      <div className={styles.pager}>
        <Pagination
          size="small"
          hideOnSinglePage
          current={page}
          pageSize={50}
          total={shown?.total ?? 0}
          showSizeChanger={false}
          onChange={setPage}
        />
      </div>
    </>
  )
}

function Line({ line }: { line: TimelineRow }) {
  const { t } = useTranslation('devices')
  const word = t(`enums.${line.source === 'EVENT' ? 'eventKind' : 'messageKind'}.${line.kind}`, {
    defaultValue: line.kind,
  })
  return (
    <>
      <article>
        <Time at={line.createTime} style="full" />
        <div>
          <strong>{word}</strong> {line.by ? <span>{line.by}</span> : null}{' '}
          {line.seq === null ? null : <small>{t('timeline.sequence', { n: line.seq })}</small>}
          <div className={styles.payload}>{useSentence(line)}</div>
          {line.note ? <small>{line.note}</small> : null}
        </div>
      </article>
      {line.missing > 0 ? (
        <p className={styles.gap} role="note">
          {t('timeline.gap', { n: line.missing })}
        </p>
      ) : null}
    </>
  )
}

/** Values in words where there are some; keys of a message stay as the protocol names them. */
function useSentence({ source, data }: TimelineRow): string {
  const { t } = useTranslation('devices')
  const value = (key: string, found: unknown): string => {
    if (typeof found === 'boolean') return t(`web:bool.${found}`)
    if (typeof found === 'object' && found !== null) return JSON.stringify(found)
    const text = String(found)
    if (!/^[A-Za-z_]+$/.test(text)) return text
    const words =
      source === 'EVENT' && (key === 'from' || key === 'to') ? ['lifecycle'] : ['data', 'faultCode']
    return t(
      words.map((word) => `enums.${word}.${text}`),
      { defaultValue: text },
    )
  }
  return Object.entries(data)
    .filter(([key]) => key !== 'cmdId')
    .map(
      ([key, found]) => `${t(`timeline.keys.${key}`, { defaultValue: key })} ${value(key, found)}`,
    )
    .join(' · ')
}
