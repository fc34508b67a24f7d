import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, TextAreaField, TextField } from '../../../web/form/fields.tsx'
import { type InvoiceRow, invoices } from '../contract.ts'

const field = { reject: 'reason', issue: 'issuedNo', red: 'redNo' } as const

/** A step that wants a word: why not, or the number of the paper. */
export function StepDialog({
  what,
  row,
  onClose,
}: {
  what: keyof typeof field
  row: InvoiceRow
  onClose: () => void
}) {
  const { t } = useTranslation('invoices')
  return (
    <FormDialog
      ns="invoices"
      title={`${t(what)} · ${row.requestNo}`}
      save={invoices[what]}
      initial={{ id: row.id, version: row.version }}
      danger={what !== 'issue'}
      okText={t(what)}
      success="web:success.done"
      onClose={onClose}
    >
      {what === 'red' ? <Note type="warning">{t('redHint')}</Note> : null}
      {what === 'reject' ? <TextAreaField name={field[what]} /> : <TextField name={field[what]} />}
    </FormDialog>
  )
}
