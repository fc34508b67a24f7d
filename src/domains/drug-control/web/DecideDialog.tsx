import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, RadioField, TextAreaField } from '../../../web/form/fields.tsx'
import { drugControl, type Excursion, type LockRow } from '../contract.ts'

/** What becomes of the goods of one lane. */
export function DecideLock({ lock, onClose }: { lock: LockRow; onClose: () => void }) {
  const { t } = useTranslation('drugControl')
  const { id, reason: was, rtuNumber, roadIndex } = lock
  return (
    <FormDialog
      ns="drugControl"
      title={t('decideLock', { rtuNumber, road: roadIndex })}
      save={drugControl.decideLock}
      initial={{ id, was }}
      success="drugControl:decided"
      okText={t('decide')}
      onClose={onClose}
    >
      <Note>{t(`hint.${was}`)}</Note>
      <RadioField name="choice" />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

/** What becomes of the goods of all lanes that an excursion stopped. */
export function DecideExcursion({ row, onClose }: { row: Excursion; onClose: () => void }) {
  const { t } = useTranslation('drugControl')
  const { id, minutes, tempMax, tempMin, toAt } = row
  const most = tempMax === null ? t('unknown') : `${tempMin} – ${tempMax} °C`
  return (
    <FormDialog
      ns="drugControl"
      title={t('decideExcursion', { rtuNumber: row.rtuNumber })}
      save={drugControl.decideExcursion}
      initial={{ id, ...(toAt ? {} : { choice: 'SCRAP' }) }}
      success="drugControl:decided"
      okText={t('decide')}
      onClose={onClose}
    >
      <Note>{t('excursionHint', { minutes, most, lanes: row.laneCount })}</Note>
      <RadioField name="choice" />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}
