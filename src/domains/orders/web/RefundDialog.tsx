import { Checkbox, Flex, Form } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note, SelectField } from '../../../web/form/fields.tsx'
import type { Values } from '../../../web/form/values.ts'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { Empty, Problem, Skeleton } from '../../../web/Problem.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { CardHead } from '../../../web/ui/Card.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { type OrderDetail, orders } from '../contract.ts'
import { type RefundReason, refundReasons } from '../rules.ts'
import styles from './orders.module.css'
import { RemarkField } from './RemarkField.tsx'
import { proposed, whyNot } from './refunding.ts'
import { lane, shortOrder, type Unit } from './stations.ts'
import { useWords } from './words.ts'

/** Render it only while it is open. */
export function RefundDialog({ orderNum, onClose }: { orderNum: string; onClose: () => void }) {
  const { t } = useTranslation('orders')
  const active = useActiveTab()
  const read = useRead(orders.get, { orderNum }, { inline: true })
  const order = read.data
  if (!active) return null
  if (order?.units.some((unit) => unit.canRefund))
    return <RefundForm order={order} onClose={onClose} />
  return (
    <Modal
      open
      title={`${t('refundTitle')} ${shortOrder(orderNum)}`}
      footer={null}
      onCancel={onClose}
      width={560}
    >
      {order ? (
        <Empty title={t('refundNone')} hint={t('refundNoneHint')} />
      ) : read.error ? (
        <Problem error={read.error} title={t('detailFailed')} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton rows={5} />
      )}
    </Modal>
  )
}

const chosenOf = (order: OrderDetail, ids: unknown, reason: RefundReason | undefined): Unit[] =>
  order.units.filter(
    (unit) => Array.isArray(ids) && ids.includes(unit.id) && whyNot(order, unit, reason) === null,
  )

function RefundForm({ order, onClose }: { order: OrderDetail; onClose: () => void }) {
  const { t } = useTranslation('orders')
  const initial = useMemo(
    () => ({ orderNum: order.orderNum, remark: '', ...proposed(order) }),
    [order],
  )
  const toInput = (values: Values) => ({
    ...values,
    unitIds: chosenOf(order, values.unitIds, values.reason as RefundReason | undefined).map(
      (unit) => unit.id,
    ),
  })
  return (
    <FormDialog
      title={`${t('refundTitle')} ${shortOrder(order.orderNum)}`}
      width={560}
      ns="orders"
      save={orders.refund}
      initial={initial}
      toInput={toInput}
      success="orders:success.refund"
      okText={t('refundTitle')}
      danger
      onClose={onClose}
    >
      <RefundFields order={order} />
    </FormDialog>
  )
}

function RefundFields({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('orders')
  const reason = Form.useWatch<RefundReason | undefined>('reason')
  const ids = Form.useWatch<number[] | undefined>('unitIds')
  const chosen = chosenOf(order, ids, reason)
  const drug = order.units.some((unit) => unit.drugClass !== 'NONE' && ids?.includes(unit.id))
  const gone = chosen.filter((unit) => unit.vendState === 'SUCCESS').length
  return (
    <>
      <Field name="unitIds" label={t('choosePieces')} required wide plain>
        <Pieces order={order} reason={reason} />
      </Field>
      <SelectField
        name="reason"
        label={t('reasonLabel')}
        wide
        options={refundReasons.map((value) => ({ value, label: t(`enums.refundReason.${value}`) }))}
      />
      <RemarkField />
      {gone > 0 ? <Note type="warning">{t('refundGone', { n: gone })}</Note> : null}
      {drug ? <Note type="warning">{t('refundDrug')}</Note> : null}
      <strong className={styles.sum} role="status">
        {chosen.length > 0
          ? t('refundHint', { amount: yuan(chosen.reduce((sum, unit) => sum + unit.paid, 0)) })
          : t('refundChoose')}
      </strong>
    </>
  )
}

type PiecesProps = {
  order: OrderDetail
  reason: RefundReason | undefined
  value?: number[]
  onChange?: (ids: number[]) => void
}
/** One line per piece; what cannot be refunded says why. */
function Pieces({ order, reason, value = [], onChange }: PiecesProps) {
  const { t } = useTranslation('orders')
  const { refusal } = useWords()
  const lines = order.units.map((unit) => ({ unit, why: whyNot(order, unit, reason) }))
  const open = lines.filter(({ why }) => why === null).map(({ unit }) => unit.id)
  const ticked = open.filter((id) => value.includes(id))
  const set = (ids: readonly number[], on: boolean) => {
    const others = value.filter((id) => !ids.includes(id))
    onChange?.(on ? [...others, ...ids] : others)
  }
  const about = (unit: Unit) => [
    t('piece', { n: unit.unitNo }),
    ...(unit.road === null ? [] : [t('road', { road: lane(unit.road) })]),
    t(`enums.vendState.${unit.vendState}`),
  ]
  return (
    <Flex vertical className={styles.choices ?? ''}>
      {order.units.length > 1 ? (
        <Checkbox
          disabled={open.length === 0}
          checked={ticked.length > 0 && ticked.length === open.length}
          indeterminate={ticked.length > 0 && ticked.length < open.length}
          onChange={(event) => set(open, event.target.checked)}
        >
          {t('refundAll')}
        </Checkbox>
      ) : null}
      {lines.map(({ unit, why }) => (
        <Checkbox
          key={unit.id}
          disabled={why !== null}
          checked={why === null && value.includes(unit.id)}
          onChange={(event) => set([unit.id], event.target.checked)}
        >
          <CardHead
            picture={<Picture src={unit.img} size={32} />}
            title={`${unit.productName} ${unit.model}`}
            lines={why ? [refusal(why)] : about(unit)}
            end={<Money fen={unit.paid} strong />}
          />
        </Checkbox>
      ))}
    </Flex>
  )
}
