import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import { users } from '../contract.ts'
import type { ResetRow } from '../resets.ts'

export function RejectDialog({ row, onClose }: { row: ResetRow; onClose: () => void }) {
  const { t } = useTranslation('users')
  return (
    <FormDialog
      title={t('resets.rejectOf', { name: row.username })}
      ns="users"
      save={users.rejectReset}
      success="users:success.reject"
      okText={t('resets.reject')}
      initial={{ id: row.id }}
      onClose={onClose}
    >
      <TextAreaField name="reason" />
    </FormDialog>
  )
}
