import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextField } from '../../../web/form/fields.tsx'
import { type GroupRow, programGroups } from '../contract.ts'

export function CopyDialog({ row, onClose }: { row: GroupRow; onClose: () => void }) {
  const { t } = useTranslation('programGroups')
  return (
    <FormDialog
      ns="programGroups"
      title={`${t('copy')} · ${row.name}`}
      save={programGroups.copy}
      initial={{ id: row.id, name: t('copyName', { name: row.name }).slice(0, 40) }}
      success="programGroups:success.copy"
      onClose={onClose}
    >
      <TextField name="name" wide count />
    </FormDialog>
  )
}
