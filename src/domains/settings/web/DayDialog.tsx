import { Flex, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { type DayType, dayTypes, settings } from '../contract.ts'
import { withDay } from '../rules.ts'

type Day = { day: string; type: DayType; name: string }
type Props = { chosen: Day; year: number; days: readonly Day[]; onClose: () => void }

/** One day of a year that is known: its type and its name. */
export function DayDialog({ chosen, year, days, onClose }: Props) {
  const { t } = useTranslation('settings')
  const active = useActiveTab()
  const [type, setType] = useState(chosen.type)
  const [name, setName] = useState(chosen.name)
  const save = useWrite(settings.importCalendar, {
    success: 'web:success.saved',
    onSuccess: onClose,
  })
  if (!active) return null
  const changed = { day: chosen.day, type, name: name.trim() }
  return (
    <Modal
      open
      title={chosen.day}
      width={400}
      okText={t('web:action.save')}
      cancelText={t('web:action.cancel')}
      confirmLoading={save.isPending}
      onOk={() => save.mutate({ year, days: withDay(days, changed) })}
      onCancel={onClose}
    >
      <Flex vertical gap={12}>
        <Select
          aria-label={t('fields.type')}
          value={type}
          options={dayTypes.map((value) => ({ value, label: t(`enums.type.${value}`) }))}
          onChange={setType}
        />
        <Input
          aria-label={t('fields.dayName')}
          placeholder={t('fields.dayName')}
          maxLength={30}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Flex>
    </Modal>
  )
}
