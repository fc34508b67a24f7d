import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, TextAreaField } from '../../../web/form/fields.tsx'
import { type CaseRow, orderSupplements } from '../contract.ts'

/** What a person found about a loss or an unclear result. */
export function CloseDialog({ row, onClose }: { row: CaseRow; onClose: () => void }) {
  const { t } = useTranslation('orderSupplements')
  return (
    <FormDialog
      ns="orderSupplements"
      title={t('close')}
      save={orderSupplements.close}
      initial={{ id: row.id, remark: '' }}
      success="orderSupplements:closeDone"
      onClose={onClose}
    >
      <Note>{`${t(`enums.kind.${row.kind}`)} · ${t(`enums.advice.${row.advice}`)}`}</Note>
      <TextAreaField name="remark" rows={2} />
    </FormDialog>
  )
}
