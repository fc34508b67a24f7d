import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField, Field, Note, SelectField, TextAreaField } from '../../../web/form/fields.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { type DifferenceRow, reconciliation } from '../contract.ts'

type Close = { onClose: () => void }
type Props = Close & { row: DifferenceRow }
const start = ({ id, version }: DifferenceRow) => ({ id, version })

/** What is done about its kind stands above. */
export function ResolveDialog({ row, onClose }: Props) {
  const { t } = useTranslation('reconciliation')
  return (
    <FormDialog
      ns="reconciliation"
      title={`${t('resolve')} · ${t(`enums.kind.${row.kind}`)}`}
      okText={t('resolve')}
      save={reconciliation.resolve}
      initial={start(row)}
      success="web:success.done"
      onClose={onClose}
    >
      <Note>{t(`advice.${row.kind}`, { defaultValue: t('advice.other') })}</Note>
      <SelectField name="treatment" required />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

export function IgnoreDialog({ row, onClose }: Props) {
  const { t } = useTranslation('reconciliation')
  return (
    <FormDialog
      ns="reconciliation"
      title={`${t('ignore')} · ${t(`enums.kind.${row.kind}`)}`}
      okText={t('ignore')}
      save={reconciliation.ignore}
      initial={start(row)}
      success="web:success.done"
      danger
      onClose={onClose}
    >
      <Note>{t('ignoreHint')}</Note>
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

export function AssignDialog({ row, onClose }: Props) {
  const { t } = useTranslation('reconciliation')
  return (
    <FormDialog
      ns="reconciliation"
      title={t('assign')}
      okText={t('assign')}
      save={reconciliation.assign}
      initial={start(row)}
      success="web:success.done"
      onClose={onClose}
    >
      <Field name="userId">
        <PersonSelect />
      </Field>
    </FormDialog>
  )
}

/** The simulator's bill of a day; those of merchants are asked for from their runs. */
export function FetchDialog({ onClose }: Close) {
  const { t } = useTranslation('reconciliation')
  return (
    <FormDialog
      ns="reconciliation"
      title={t('fetch')}
      okText={t('fetch')}
      save={reconciliation.fetch}
      initial={{ configId: null }}
      success="reconciliation:fetched"
      onClose={onClose}
    >
      <Note>{t('fetchHint')}</Note>
      <DayField name="billDate" />
    </FormDialog>
  )
}
