import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, NumberField } from '../../../web/form/fields.tsx'
import { stockWarnings, type WarningRow } from '../contract.ts'

type Props = { rows: readonly WarningRow[]; done: () => void; onClose: () => void }

/** One level for all chosen lanes; the smallest of them bounds it. */
export function ThresholdDialog({ rows, done, onClose }: Props) {
  const { t } = useTranslation('stockWarnings')
  const lanes = new Map(rows.map((row) => [row.laneId, row]))
  const min = Math.min(...rows.map((row) => row.roadCapacity))
  const levels = new Set(rows.map((row) => row.warnQty))
  return (
    <FormDialog
      ns="stockWarnings"
      title={t('threshold')}
      save={stockWarnings.thresholds}
      initial={{
        laneIds: [...lanes.keys()],
        ...(levels.size === 1 ? { warnQty: rows[0]?.warnQty } : {}),
      }}
      success="stockWarnings:thresholdDone"
      onSaved={() => {
        done()
        onClose()
      }}
      onClose={onClose}
    >
      <Note>{t('capacity', { n: lanes.size, min })}</Note>
      <NumberField name="warnQty" min={0} max={199} />
    </FormDialog>
  )
}
