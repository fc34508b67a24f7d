import { useTranslation } from 'react-i18next'
import { call } from '../../../web/call.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, RadioField, TextAreaField, TextField } from '../../../web/form/fields.tsx'
import { type BatchRow, batches } from '../contract.ts'

type Props = { batch: BatchRow; onClose: () => void }
const start = ({ id, version }: BatchRow) => ({ id, version })

/** How many machines it stops is asked before it is done. */
export function RecallDialog({ batch, onClose }: Props) {
  const { t } = useTranslation('batches')
  const confirm = useConfirm()
  const before = async () => {
    const { devices, lanes } = await call(batches.recallPreview, { id: batch.id })
    return confirm({ title: t('recallAsk', { devices, lanes }), ok: t('recall'), danger: true })
  }
  return (
    <FormDialog
      ns="batches"
      title={t('recallTitle', { batchNo: batch.batchNo })}
      save={batches.recall}
      initial={{ ...start(batch), level: 'II' }}
      before={before}
      success="batches:recallDone"
      okText={t('recall')}
      danger
      onClose={onClose}
    >
      <RadioField name="level" />
      <TextField name="recallNo" />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

export function UnrecallDialog({ batch, onClose }: Props) {
  const { t } = useTranslation('batches')
  return (
    <FormDialog
      ns="batches"
      title={t('unrecallTitle', { batchNo: batch.batchNo })}
      save={batches.unrecall}
      initial={start(batch)}
      success="batches:unrecallDone"
      okText={t('unrecall')}
      onClose={onClose}
    >
      <Note>{t('unrecallHint')}</Note>
      <TextAreaField name="reason" />
    </FormDialog>
  )
}
