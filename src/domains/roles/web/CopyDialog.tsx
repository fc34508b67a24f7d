import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, TextField } from '../../../web/form/fields.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { type RoleRow, roles } from '../contract.ts'
import { roleName } from '../rules.ts'

export function CopyDialog({ row, onClose }: { row: RoleRow; onClose: () => void }) {
  const { t } = useTranslation('roles')
  const name = roleName(row, usePrefs().lang)
  return (
    <FormDialog
      title={t('copyTitle')}
      ns="roles"
      onClose={onClose}
      success="web:success.done"
      save={roles.copy}
      initial={{ id: row.id, name: '' }}
    >
      <Note>
        {name}: {t('copyHint')}
      </Note>
      <TextField name="name" count wide />
    </FormDialog>
  )
}
