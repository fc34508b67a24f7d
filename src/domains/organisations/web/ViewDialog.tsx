import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Modal } from '../../../web/ui/overlay.tsx'
import { lookThrough } from '../../../web/view.ts'
import { OrganisationSelect } from '../../accounts/web/pickers.tsx'

/** Choose an organisation and see what it sees. */
export function ViewDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('organisations')
  const [id, setId] = useState<number | null>(null)
  return (
    <Modal
      open
      title={t('viewAs')}
      okText={t('viewAsOk')}
      okButtonProps={{ disabled: id === null }}
      onOk={() => id !== null && lookThrough({ kind: 'org', id })}
      onCancel={onClose}
    >
      <p>{t('viewAsNote')}</p>
      <OrganisationSelect value={id} onChange={setId} />
    </Modal>
  )
}
