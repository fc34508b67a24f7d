import { Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { shanghaiDay } from '../../../../shared/instants.ts'
import { useRead } from '../../../../web/api.ts'
import { DayRange } from '../../../../web/list/days.tsx'
import { useLive } from '../../../../web/live.ts'
import { Empty, Unread } from '../../../../web/Problem.tsx'
import { Time } from '../../../../web/Time.tsx'
import { Pager } from '../../../../web/ui/Pager.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Select } from '../../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { useFaultWord } from '../../../machines/web/pickers.tsx'
import { devices } from '../../contract.ts'
import { type TimelineRow, timelineGroups, timelineRows } from '../../historyContract.ts'
import type { TabProps } from './DeviceDrawer.tsx'

type Group = (typeof timelineGroups)[number]
type Filter = { group?: Group | undefined; from?: string | undefined; to?: string | undefined }
const pageSize = 50

/** What the machine said and what happened around it, newest first, with the gaps between. */
export function DeviceTimeline({ device }: TabProps) {
  const { t } = useTranslation(['devices', 'web'])
  const [page, setPage] = useState(1)
  const [filter, setFilter] = useState<Filter>({})
  const { group, from, to } = filter
  const choose = (chosen: Filter) => {
    setFilter({ ...filter, ...chosen })
    setPage(1)
  }
  const read = useRead(
    devices.timeline,
    { id: device.id, page, pageSize, ...filter },
    { inline: true, keep: true },
  )
  useLive('devices', [devices.timeline.path])
  useLive('commands', [devices.timeline.path])
  useLive('shadows', [devices.timeline.path])
  const shown = read.data
  const today = shanghaiDay(new Date())
  return (
    <Flex vertical gap={8}>
      <Flex wrap gap={8}>
        <Select<Group>
          allowClear
          style={{ width: 240 }}
          value={group ?? null}
          aria-label={t('timeline.group')}
          placeholder={t('timeline.all')}
          options={timelineGroups.map((value) => ({ value, label: t(`enums.group.${value}`) }))}
          onChange={(value: Group | undefined) => choose({ group: value })}
        />
        <DayRange
          style={{ width: 260 }}
          placeholder={[t('web:list.from'), t('web:list.to')]}
          value={[from ?? null, to ?? null]}
          off={(day) => day > today}
          onChange={([from, to]) => choose({ from: from ?? undefined, to: to ?? undefined })}
        />
      </Flex>
      {shown ? null : <Unread read={read} rows={6} />}
      {shown?.total === 0 ? (
        <Empty title={t(from || to || group ? 'timeline.none' : 'timeline.empty')} />
      ) : null}
      {shown?.sums.cut ? <Muted small>{t('timeline.cut', { n: timelineRows })}</Muted> : null}
      <Lines columns="148px 1fr">
        {shown?.list.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </Lines>
      <Pager page={page} pageSize={pageSize} total={shown?.total ?? 0} onChange={setPage} />
    </Flex>
  )
}

function Line({ line }: { line: TimelineRow }) {
  const { t } = useTranslation('devices')
  const words = line.source === 'EVENT' ? 'eventKind' : 'messageKind'
  const { vend } = line
  return (
    <li>
      <Time at={line.createTime} style="full" />
      <div>
        <strong>{t(`enums.${words}.${line.kind}`, { defaultValue: line.kind })}</strong>{' '}
        {vend ? t('faultTab.road', { n: vend.road }) : null}{' '}
        {vend?.orderNum ? (
          <Link to={`/order/order-details/${vend.orderNum}`}>
            {t('timeline.order', { n: vend.orderNum.slice(-6) })}
          </Link>
        ) : null}{' '}
        {line.by}{' '}
        {line.seq === null ? null : <Muted small>{t('timeline.sequence', { n: line.seq })}</Muted>}
        <br />
        <Muted>{useSentence(line)}</Muted>
        {line.note ? <Muted small> {line.note}</Muted> : null}
        {line.missing > 0 ? (
          <div role="note">
            <Bad>{t('timeline.gap', { n: line.missing })}</Bad>
          </div>
        ) : null}
      </div>
    </li>
  )
}

/** Values in words where there are some; keys of a message stay as the protocol names them. */
function useSentence({ source, data }: TimelineRow): string {
  const { t } = useTranslation('devices')
  const faultWord = useFaultWord()
  const value = (key: string, found: unknown): string => {
    if (typeof found === 'boolean') return t(`web:bool.${found}`)
    if (typeof found === 'object' && found !== null) return JSON.stringify(found)
    const text = String(found)
    if (!/^[A-Za-z_]+$/.test(text)) return text
    const moved = source === 'EVENT' && (key === 'from' || key === 'to')
    return moved
      ? t(`enums.lifecycle.${text}`, { defaultValue: text })
      : t(`enums.data.${text}`, { defaultValue: faultWord(text) })
  }
  return Object.entries(data)
    .filter(([key]) => key !== 'cmdId')
    .map(
      ([key, found]) => `${t(`timeline.keys.${key}`, { defaultValue: key })} ${value(key, found)}`,
    )
    .join(' · ')
}
