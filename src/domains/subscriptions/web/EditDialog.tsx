import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { type SubscriptionRow, subscriptions } from '../contract.ts'
import { PlanFields } from './PlanFields.tsx'

/** When, how and to whom; list, filter and columns are those it was set up with. */
export function EditDialog({ row, onClose }: { row: SubscriptionRow; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const known = row.userIds.map((id, index) => ({ id, name: row.people[index] ?? String(id) }))
  const list = row.kind === 'LIST'
  return (
    <FormDialog
      ns="subscriptions"
      title={t('editTitle')}
      save={subscriptions.update}
      initial={pickFor(subscriptions.update.input, row)}
      width={600}
      onClose={onClose}
    >
      <TextField name="name" count wide />
      <PlanFields ranged={list && row.period !== 'NONE'} {...(list ? { people: known } : {})} />
    </FormDialog>
  )
}
