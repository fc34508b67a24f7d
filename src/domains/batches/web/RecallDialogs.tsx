import { useTranslation } from 'react-i18next'
import { call } from '../../../web/call.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import {
  Field,
  ImageField,
  Note,
  NumberField,
  RadioField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { toast } from '../../../web/toast.ts'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { type BatchRow, batches } from '../contract.ts'
import type { RecallDetail } from '../recallContract.ts'

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
      <ImageField name="notice" />
    </FormDialog>
  )
}

export const UnrecallDialog = ({ batch, onClose }: Props) => (
  <EndRecall batchNo={batch.batchNo} start={start(batch)} onClose={onClose} />
)
/** The same of a recall on its board. */
export const EndDialog = ({ recall, onClose }: { recall: RecallDetail; onClose: () => void }) => (
  <EndRecall
    batchNo={recall.batchNo}
    start={{ id: recall.batchId, version: recall.batchVersion }}
    onClose={onClose}
  />
)

type End = { batchNo: string; start: { id: number; version: number }; onClose: () => void }
function EndRecall({ batchNo, start, onClose }: End) {
  const { t } = useTranslation('batches')
  return (
    <FormDialog
      ns="batches"
      title={t('unrecallTitle', { batchNo })}
      save={batches.unrecall}
      initial={start}
      onSaved={(answer) => {
        toast('success', t((answer as { ended: boolean }).ended ? 'unrecallDone' : 'asked'))
        onClose()
      }}
      okText={t('unrecall')}
      onClose={onClose}
    >
      <Note>{t('unrecallHint')}</Note>
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

type Destroy = { recall: RecallDetail; onClose: () => void }
export function DestroyDialog({ recall, onClose }: Destroy) {
  const { t } = useTranslation('batches')
  return (
    <FormDialog
      ns="batches"
      title={t('destroyTitle', { batchNo: recall.batchNo })}
      save={batches.destroy}
      initial={{ id: recall.id, photos: [] }}
      success="batches:destroyDone"
      okText={t('destroy')}
      onClose={onClose}
    >
      <Note>{t('destroyHint')}</Note>
      <NumberField name="qty" min={1} />
      <Field name="witnessId">
        <PersonSelect />
      </Field>
      <ImageField name="photos" max={5} hint={t('photosHint')} />
      <TextAreaField name="remark" />
    </FormDialog>
  )
}
