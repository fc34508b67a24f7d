import { useTranslation } from 'react-i18next'
import { shanghaiDay } from '../../../shared/instants.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField } from '../../../web/form/fields.tsx'
import { toast } from '../../../web/toast.ts'
import { orderSupplements } from '../contract.ts'

/** Asks the channels what they took on a day. */
export function SyncDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('orderSupplements')
  return (
    <FormDialog
      ns="orderSupplements"
      title={t('syncBill')}
      save={orderSupplements.syncBill}
      initial={{ date: shanghaiDay(new Date()) }}
      success="orderSupplements:supplementDone"
      okText={t('syncBill')}
      onSaved={({ lines, found, absent, pending }) => {
        toast('info', t('syncDone', { lines, found }))
        if (absent) toast('info', t('syncAbsent', { absent }))
        if (pending) toast('info', t('syncPending', { pending }))
        onClose()
      }}
      onClose={onClose}
    >
      <DayField name="date" label={t('syncDay')} />
    </FormDialog>
  )
}
