import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField, Field, Note, SelectField, TextAreaField } from '../../../web/form/fields.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { type DifferenceRow, reconciliation } from '../contract.ts'
import { booksItself, type Treatment, treatmentsOf } from '../rules.ts'

type Close = { onClose: () => void }
type Props = Close & { row: DifferenceRow }
const start = ({ id, version }: DifferenceRow) => ({ id, version })

/** What may be done about its kind, and what each of it does when it is agreed to. */
export function ResolveDialog({ row, onClose }: Props) {
  const { t } = useTranslation('reconciliation')
  const options = treatmentsOf(row.kind, row.part)
    .filter((treatment) => row.can.correct || !booksItself(row.kind, treatment))
    .map((value) => ({ value, label: t(`enums.treatment.${value}`) }))
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
      <Note>
        {row.part === 'SPLIT' && row.kind !== 'BILL_LINE'
          ? t('advice.SHARE')
          : t(`advice.${row.kind}`, { defaultValue: t('advice.other') })}
        {row.answer ? ` ${t('answered', { answer: t(`enums.answer.${row.answer}`) })}` : ''}
      </Note>
      <SelectField name="treatment" required options={options} />
      <Effect row={row} />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

/** What happens at the end, in the books and at the channel. */
function Effect({ row }: Pick<Props, 'row'>) {
  const { t } = useTranslation('reconciliation')
  const treatment = Form.useWatch<Treatment | undefined>('treatment')
  if (!treatment) return null
  const books = booksItself(row.kind, treatment)
  const corrected =
    row.kind === 'FEE'
      ? 'CORRECTED_FEE'
      : row.part === 'SPLIT'
        ? 'CORRECTED_SHARE'
        : 'CORRECTED_BOOKS'
  const what = books ? corrected : treatment
  return <Note>{t(`effect.${what}`, { amount: yuan(Math.abs(row.gap)) })}</Note>
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
      initial={{ configId: null, billType: 'BILL' }}
      success="reconciliation:fetched"
      onClose={onClose}
    >
      <Note>{t('fetchHint')}</Note>
      <DayField name="billDate" />
      <SelectField name="billType" required />
    </FormDialog>
  )
}
