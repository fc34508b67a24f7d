import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { SelectField, TextAreaField } from '../../../web/form/fields.tsx'
import { replenishment } from '../contract.ts'
import { type RouteStop, skipReasons } from '../routeContract.ts'

/** Why a machine is left out today. */
export function SkipDialog(props: { date: string; stop: RouteStop; onClose: () => void }) {
  const { date, stop, onClose } = props
  const { t } = useTranslation('replenishment')
  return (
    <FormDialog
      ns="replenishment"
      title={t('route.skipTitle', { name: stop.nickname })}
      save={replenishment.skipStop}
      initial={{ date, deviceId: stop.deviceId }}
      okText={t('route.skip')}
      onClose={onClose}
      onSaved={onClose}
    >
      <SelectField
        name="reason"
        label={t('route.skipReason')}
        options={skipReasons.map((value) => ({ value, label: t(`route.reasons.${value}`) }))}
      />
      <TextAreaField name="remark" label={t('route.remark')} />
    </FormDialog>
  )
}
