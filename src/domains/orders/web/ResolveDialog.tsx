import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { ImageField, Note, RadioField, TextAreaField } from '../../../web/form/fields.tsx'
import { orders } from '../contract.ts'
import { lane, type Unit } from './stations.ts'

type Props = { orderNum: string; unit: Unit; onClose: () => void }

/** What became of a piece, by a person who found out. */
export function ResolveDialog({ orderNum, unit, onClose }: Props) {
  const { t } = useTranslation('orders')
  const at = unit.road === null ? '' : ` · ${t('road', { road: lane(unit.road) })}`
  return (
    <FormDialog
      ns="orders"
      title={t('resolveTitle')}
      save={orders.resolve}
      initial={{ orderNum, unitId: unit.id, evidence: '', images: [] }}
      success="orders:success.resolve"
      onClose={onClose}
    >
      <Note type="warning">{`${unit.productName} ${unit.model}${at} · ${t('resolveHint')}`}</Note>
      <RadioField
        name="dispensed"
        label={t('resolveResult')}
        options={[true, false].map((value) => ({
          value,
          label: t(value ? 'resolveOut' : 'resolveIn'),
        }))}
      />
      <TextAreaField name="evidence" rows={2} />
      <ImageField name="images" max={5} />
    </FormDialog>
  )
}
