import { Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { type SettingChange, type SettingRow, settings } from '../contract.ts'
import { settingOfKey } from '../registry.ts'
import { useWords } from './useWords.ts'

type Props = {
  orgId: number
  changes: readonly SettingChange[]
  rows: readonly SettingRow[]
  onClose: () => void
  onSaved: () => void
}

/** What will change, side by side, before all of it is saved at once. */
export function ReviewDialog({ orgId, changes, rows, onClose, onSaved }: Props) {
  const { t } = useTranslation('settings')
  const words = useWords()
  const active = useActiveTab()
  const save = useWrite(settings.save, {
    success: 'settings:success.save',
    onSuccess: () => {
      onSaved()
      onClose()
    },
  })
  if (!active) return null
  const told = (change: SettingChange, row: SettingRow | undefined, after: boolean): string => {
    const { form } = settingOfKey(change.key)
    const value = words.valueOf(form, after && 'value' in change ? change.value : row?.value)
    if (change.locked === undefined) return value
    return `${value} · ${(after ? change.locked : row?.locked) ? t('locks') : t('unlocks')}`
  }
  return (
    <Modal
      open
      title={t('reviewTitle')}
      width={560}
      okText={t('web:action.save')}
      cancelText={t('web:action.cancel')}
      confirmLoading={save.isPending}
      onOk={() => save.mutate({ orgId, changes: [...changes] })}
      onCancel={onClose}
    >
      <Table
        size="small"
        rowKey="key"
        pagination={false}
        dataSource={changes.map((change) => {
          const row = rows.find((other) => other.key === change.key)
          return {
            key: change.key,
            name: words.nameOf(change.key),
            before: told(change, row, false),
            after: told(change, row, true),
          }
        })}
        columns={[
          { key: 'name', title: t('fields.name'), dataIndex: 'name' },
          { key: 'before', title: t('before'), dataIndex: 'before' },
          {
            key: 'after',
            title: t('after'),
            dataIndex: 'after',
            render: (text: string) => <strong>{text}</strong>,
          },
        ]}
      />
    </Modal>
  )
}
