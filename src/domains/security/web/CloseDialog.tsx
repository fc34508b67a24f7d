import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import { type SecurityRow, security } from '../contract.ts'

/** Somebody looked at it, and says what it was. */
export function CloseDialog({ row, onClose }: { row: SecurityRow; onClose: () => void }) {
  const { t } = useTranslation('security')
  return (
    <FormDialog
      title={t('closeTitle')}
      okText={t('close')}
      ns="security"
      save={security.close}
      initial={{ id: row.id, version: row.version, remark: '' }}
      success="security:success.close"
      onClose={onClose}
    >
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}
