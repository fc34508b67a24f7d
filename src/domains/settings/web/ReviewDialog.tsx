import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { type SettingChange, type SettingRow, settings } from '../contract.ts'
import { settingOfKey } from '../registry.ts'
import styles from './details.module.css'
import { useWords } from './useWords.ts'

type Props = { orgId: number; changes: readonly SettingChange[]; rows: readonly SettingRow[]; onClose: () => void; onSaved: () => void }

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
      <table className={styles.diff}>
        <thead>
          <tr>
            <th scope="col">{t('fields.name')}</th>
            <th scope="col">{t('before')}</th>
            <th scope="col">{t('after')}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => {
            const row = rows.find((other) => other.key === change.key)
            return (
              <tr key={change.key}>
                <th scope="row">{words.nameOf(change.key)}</th>
                <td>{told(change, row, false)}</td>
                <td className={styles.after}>{told(change, row, true)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Modal>
  )
}
