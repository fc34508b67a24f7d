import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field } from '../../../web/form/fields.tsx'
import { type BatchRow, batches } from '../contract.ts'

/** Codes as a scanner types them: one on each line. */
function Lines({ id, onChange }: { id?: string; onChange?: (codes: string[]) => void }) {
  return (
    <Input.TextArea
      {...(id ? { id } : {})}
      rows={10}
      onChange={(event) =>
        onChange?.(
          event.target.value
            .split(/\s+/)
            .map((code) => code.trim())
            .filter(Boolean),
        )
      }
    />
  )
}

export function CodesDialog({ batch, onClose }: { batch: BatchRow; onClose: () => void }) {
  const { t } = useTranslation('batches')
  return (
    <FormDialog
      ns="batches"
      title={`${t('addCodes')} ${batch.batchNo}`}
      save={batches.addCodes}
      initial={{ id: batch.id }}
      success="batches:codesDone"
      onClose={onClose}
    >
      <Field name="codes" hint={t('codesHint')} wide>
        <Lines />
      </Field>
    </FormDialog>
  )
}
