import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Lead } from '../../../../web/ui/Text.tsx'
import { DeviceSelect } from '../../../machines/web/pickers.tsx'

/**
 * Chooses whose lanes the selected machines get; the lanes page of that machine shows the dry run.
 */
export function CopyToDialog({ ids, onClose }: { ids: readonly number[]; onClose: () => void }) {
  const { t } = useTranslation(['devices', 'web'])
  const navigate = useNavigate()
  const [source, setSource] = useState<number>()
  const active = useActiveTab()
  if (!active) return null
  const targets = ids.filter((id) => id !== source)
  return (
    <Modal
      open
      width={416}
      title={t('batch.copy')}
      onCancel={onClose}
      okText={t('batch.copyNext')}
      cancelText={t('web:action.cancel')}
      okButtonProps={{ disabled: source === undefined || targets.length === 0 }}
      onOk={() => {
        onClose()
        navigate(
          `/device/device-list/cargo-road/${source}?copyTo=${targets.slice(0, 200).join(',')}`,
        )
      }}
    >
      <Lead>{t('batch.copyAsk', { n: targets.length })}</Lead>
      <DeviceSelect value={source} onChange={setSource} />
    </Modal>
  )
}
