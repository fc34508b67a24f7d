import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField, Note, TextField } from '../../../web/form/fields.tsx'
import { Unread } from '../../../web/Problem.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { type OrganUserRow, users } from '../contract.ts'

/** The licence of somebody who may be on duty as a pharmacist; an empty one takes it back. */
export function PharmacistDialog({ row, onClose }: { row: OrganUserRow; onClose: () => void }) {
  const { t } = useTranslation('users')
  const read = useRead(users.pharmacist, { id: row.id }, { inline: true })
  if (!read.data)
    return (
      <Modal open footer={null} onCancel={onClose}>
        <Unread read={read} rows={3} />
      </Modal>
    )
  return (
    <FormDialog
      ns="users"
      title={t('pharmacistOf', { name: row.realName })}
      save={users.setPharmacist}
      initial={read.data}
      success="web:success.saved"
      onClose={onClose}
    >
      <Note>{t('pharmacistHint')}</Note>
      <TextField name="licenceNo" />
      <DayField name="validUntil" />
    </FormDialog>
  )
}
