import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextAreaField } from '../../../web/form/fields.tsx'
import { alerts } from '../contract.ts'
import styles from './alerts.module.css'

type Props = {
  verb: 'acknowledge' | 'close'
  ids: readonly number[]
  onClose: () => void
  onSaved: () => void
}

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
      onSaved={onSaved}
    >
      <Alert type="info" showIcon title={t(`${verb}Hint`)} className={styles.wide ?? ''} />
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}
