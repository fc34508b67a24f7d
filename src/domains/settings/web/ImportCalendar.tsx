import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import { Alert, Button, Input, Table } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { useWrite } from '../../../web/api.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lead } from '../../../web/ui/Text.tsx'
import { CalendarDay, type DayType, settingErrors, settings } from '../contract.ts'
import { calendarProblem, calendarRows, yearOf } from '../rules.ts'
import styles from './calendar.module.css'

type Day = { day: string; type: DayType; name: string }
type Props = { year: number; days: readonly Day[]; onClose: () => void }
const largest = 1_048_576

/** Holidays of a year from a JSON list: what will change is shown day by day before it is saved. */
export function ImportCalendar({ year, days, onClose }: Props) {
  const { t } = useTranslation('settings')
  const { lang } = usePrefs()
  const active = useActiveTab()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [tooLarge, setTooLarge] = useState(false)
  const save = useWrite(settings.importCalendar, {
    success: 'web:success.done',
    onSuccess: onClose,
  })
  if (!active) return null
  const { rows, problem } = read()
  const after = rows ? yearOf(year, new Map(rows.map((row) => [row.day, row]))) : []
  const changes = after.flatMap((day, index) => {
    const before = days[index]
    return before && (before.type !== day.type || before.name !== day.name)
      ? [{ day: day.day, before, after: day }]
      : []
  })
  return (
    <Modal
      open
      title={t('calendar.importTitle', { year })}
      width={640}
      okText={t('web:action.confirm')}
      cancelText={t('web:action.cancel')}
      okButtonProps={{ disabled: !rows }}
      confirmLoading={save.isPending}
      onOk={() => rows && save.mutate({ year, days: rows })}
      onCancel={onClose}
    >
      <Lead>{t('calendar.hint')}</Lead>
      <input
        ref={field}
        hidden
        type="file"
        accept=".json,application/json"
        aria-label={t('calendar.file')}
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file && file.size <= largest) void file.text().then(take)
          else setTooLarge(file !== undefined)
          event.target.value = ''
        }}
      />
      <Button icon={<UploadOutlined />} onClick={() => field.current?.click()}>
        {t('calendar.file')}
      </Button>
      <Input.TextArea
        className={styles.text ?? ''}
        aria-label={t('calendar.text')}
        rows={6}
        value={text}
        placeholder={`[{"day": "${year}-10-01", "type": "HOLIDAY", "name": "${t('enums.type.HOLIDAY')}"}]`}
        onChange={(event) => take(event.target.value)}
      />
      {problem || tooLarge ? (
        <Alert type="error" showIcon title={tooLarge ? t('calendar.tooLarge') : problem} />
      ) : null}
      {rows ? (
        <Alert
          type="info"
          showIcon
          title={changes.length ? t('calendar.preview', { n: changes.length }) : t('calendar.same')}
          description={t('calendar.replace', { year })}
        />
      ) : null}
      {changes.length ? (
        <Table
          size="small"
          rowKey="day"
          style={{ marginTop: 12 }}
          pagination={false}
          scroll={{ y: 220 }}
          dataSource={changes}
          columns={[
            { key: 'day', title: t('calendar.day'), dataIndex: 'day' },
            { key: 'from', title: t('calendar.from'), render: (_, { before }) => said(before) },
            { key: 'to', title: t('calendar.to'), render: (_, { after: day }) => said(day) },
          ]}
        />
      ) : null}
    </Modal>
  )

  function take(given: string): void {
    setText(given)
    setTooLarge(false)
  }

  function said(day: Day): string {
    return `${t(`enums.type.${day.type}`)} ${day.name}`.trim()
  }

  function read(): { rows?: CalendarDay[]; problem?: string } {
    if (text.trim() === '') return {}
    const given = calendarRows(text)
    if (!given) return { problem: t('calendar.notJson') }
    if (given.length === 0) return { problem: say(settingErrors.noDays.text, lang) }
    if (given.length > 1000) return { problem: say(settingErrors.tooManyDays.text, lang) }
    const rows: CalendarDay[] = []
    for (const [index, row] of given.entries()) {
      const parsed = CalendarDay.safeParse(row)
      if (!parsed.success) return { problem: t('calendar.badRow', { row: index + 1 }) }
      rows.push(parsed.data)
    }
    const found = calendarProblem(year, rows)
    return found ? { problem: say(found.def.text, lang, found.values) } : { rows }
  }
}
