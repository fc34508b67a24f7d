import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, RadioField, SelectField } from '../../../web/form/fields.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { type OrderDetail, orders } from '../contract.ts'
import { lane, shortOrder, type Unit } from './stations.ts'

type Props = { orderNum: string; unitId?: number | undefined; onClose: () => void }

/** A piece that did not leave, once more: which one, and from which lane. */
export function VendDialog({ orderNum, unitId, onClose }: Props) {
  const { t } = useTranslation('orders')
  const active = useActiveTab()
  const { data: order } = useRead(orders.get, { orderNum })
  if (!active || !order) return null
  const first = order.units.find((unit) => unit.canVend)
  return (
    <FormDialog
      ns="orders"
      title={`${t('vendTitle')} ${shortOrder(orderNum)}`}
      save={orders.vend}
      initial={{ orderNum, unitId: unitId ?? first?.id }}
      success="orders:success.vend"
      okText={t('vendTitle')}
      onClose={onClose}
    >
      {first ? <VendFields order={order} /> : <Note type="warning">{t('vendNone')}</Note>}
    </FormDialog>
  )
}

function VendFields({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const unitId = Form.useWatch<number | undefined>('unitId')
  const read = useRead(
    orders.vendLanes,
    { orderNum: order.orderNum, unitId: unitId ?? 0 },
    { enabled: unitId !== undefined },
  )
  const lanes = read.data?.list ?? []
  const pieces = order.units.filter((unit) => unit.canVend)
  const chosen = pieces.find((unit) => unit.id === unitId)
  const named = (unit: Unit) =>
    `${t('piece', { n: unit.unitNo })} ${unit.productName} ${unit.model}`
  return (
    <>
      <SelectField
        name="unitId"
        label={t('vendPiece')}
        wide
        options={pieces.map((unit) => ({ value: unit.id, label: named(unit) }))}
      />
      <RadioField
        name="laneId"
        label={t('vendLane')}
        options={lanes.map(({ id, road, available, same, refusal }) => ({
          value: id,
          disabled: refusal !== null,
          label: [
            t('road', { road: lane(road) }),
            ...(same ? [t('vendSame')] : []),
            refusal ?? t('vendLeft', { n: available }),
          ].join(' · '),
        }))}
      />
      {chosen?.held ? <Note>{t('vendHeld')}</Note> : null}
      {chosen?.refund?.state === 'FAILED' ? <Note type="warning">{t('vendCancels')}</Note> : null}
    </>
  )
}
