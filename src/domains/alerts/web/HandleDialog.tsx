import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, TextAreaField } from '../../../web/form/fields.tsx'
import { alerts } from '../contract.ts'

export type Verb = 'acknowledge' | 'close'
type Props = { verb: Verb; ids: readonly number[]; onClose: () => void; onSaved?: () => void }

/** Take on or close; what that means is said before it is done. */
export function HandleDialog({ verb, ids, onClose, onSaved }: Props) {
  const { t } = useTranslation('alerts')
  return (
    <FormDialog
      title={t(`${verb}Title`)}
      okText={t(verb)}
      ns="alerts"
      save={alerts[verb]}
      initial={{ ids: [...ids], remark: '' }}
      success={`alerts:success.${verb}`}
      onClose={onClose}
      onSaved={() => onSaved?.()}
    >
      <Note>{t(`${verb}Hint`)}</Note>
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}
