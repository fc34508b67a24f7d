import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextField } from '../../../web/form/fields.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { type RoleRow, roles } from '../contract.ts'

export function CopyDialog({ row, onClose }: { row: RoleRow; onClose: () => void }) {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  return (
    <FormDialog title={t('copyTitle')} ns="roles" onClose={onClose} success="roles:success.copy" save={roles.copy} initial={{ id: row.id, name: '' }}>
      <Alert type="info" showIcon title={`${lang === 'en' ? row.nameEn : row.name}: ${t('copyHint')}`} style={{ gridColumn: '1 / -1', marginBottom: 12 }} />
      <TextField name="name" count wide />
    </FormDialog>
  )
}
