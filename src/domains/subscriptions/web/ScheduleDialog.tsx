import { useTranslation } from 'react-i18next'
import { exportKeys } from '../../../shared/exportFields.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, TextField } from '../../../web/form/fields.tsx'
import { hasText } from '../../../web/i18n.ts'
import type { ScheduleWish } from '../../../web/product.ts'
import { useScreen } from '../../../web/useScreen.ts'
import { subscriptions } from '../contract.ts'
import { PlanFields } from './PlanFields.tsx'

/** The list as it is shown, filter and columns, at times. */
export function ScheduleDialog({ wish, onClose }: { wish: ScheduleWish; onClose: () => void }) {
  const { t } = useTranslation('subscriptions')
  const { title } = useScreen()
  const { endpoint, ns, query } = wish
  const can = exportKeys(endpoint)
  const columns = wish.columns.filter((key) => can.includes(key) && hasText(`${ns}:fields.${key}`))
  const ranged = Boolean(endpoint.input.shape.from && endpoint.input.shape.to)
  return (
    <FormDialog
      ns="subscriptions"
      title={t('scheduleTitle')}
      save={subscriptions.create}
      initial={{
        ...{ endpoint: endpoint.path, query, columns },
        ...{ name: title.slice(0, 50), every: 'DAY', onDay: 1, atHour: 8 },
        ...{ period: ranged ? 'YESTERDAY' : 'NONE', inApp: true, byMail: false, userIds: [] },
      }}
      success="subscriptions:scheduled"
      width={600}
      onClose={onClose}
    >
      <Note>{t('scheduleHint')}</Note>
      <TextField name="name" count wide />
      <PlanFields ranged={ranged} people={[]} />
    </FormDialog>
  )
}
