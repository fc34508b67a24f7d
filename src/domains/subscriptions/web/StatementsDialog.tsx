import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note } from '../../../web/form/fields.tsx'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { subscriptions } from '../contract.ts'
import { PlanFields } from './PlanFields.tsx'

/** Statements of an organisation, to oneself. */
export function StatementsDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const { orgId } = useUser()
  return (
    <FormDialog
      ns="subscriptions"
      title={t('statements')}
      save={subscriptions.createStatements}
      initial={{
        ...{ subjectId: orgId, every: 'MONTH', onDay: 1, atHour: 7 },
        ...{ inApp: true, byMail: true },
      }}
      success="subscriptions:scheduled"
      width={600}
      onClose={onClose}
    >
      <Note>{t('statementsHint')}</Note>
      <Field name="subjectId" wide>
        <OwnerSelect />
      </Field>
      <PlanFields ranged={false} />
    </FormDialog>
  )
}
