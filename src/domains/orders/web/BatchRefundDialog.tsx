import { useTranslation } from 'react-i18next'
import type { z } from 'zod'
import { yuan } from '../../../shared/money.ts'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note, SelectField } from '../../../web/form/fields.tsx'
import type { Values } from '../../../web/form/values.ts'
import { type BatchRefund, orders } from '../contract.ts'
import { refundReasons } from '../rules.ts'
import { RemarkField } from './RemarkField.tsx'

type Props = { orderNums: readonly string[]; done: () => void; onClose: () => void }

/** What did not leave of abnormal orders; how much that is is asked once, for all of them. */
export function BatchRefundDialog({ orderNums, done, onClose }: Props) {
  const { t } = useTranslation('orders')
  const confirm = useConfirm()
  const count = useWrite(orders.batchRefund)
  const sum = { amount: 0 }
  const before = async (values: Values) => {
    const input = values as z.input<typeof BatchRefund>
    const found = await count.mutateAsync({ ...input, dryRun: true })
    sum.amount = found.amount
    return confirm({
      title: t('batchAsk', { orders: found.orders, pieces: found.pieces }),
      content: t('refundHint', { amount: yuan(found.amount) }),
      ok: t('refundTitle'),
      danger: true,
    })
  }
  return (
    <FormDialog
      ns="orders"
      title={t('batchTitle', { n: orderNums.length })}
      save={orders.batchRefund}
      initial={{ orderNums, reason: 'NOT_DISPENSED', remark: '' }}
      before={before}
      toInput={(values) => ({ ...values, ...(sum.amount ? { amount: sum.amount } : {}) })}
      success="orders:success.refund"
      okText={t('refundTitle')}
      danger
      onSaved={() => {
        done()
        onClose()
      }}
      onClose={onClose}
    >
      <Note>{t('batchHint')}</Note>
      <SelectField
        name="reason"
        label={t('reasonLabel')}
        wide
        options={refundReasons.map((value) => ({ value, label: t(`enums.refundReason.${value}`) }))}
      />
      <RemarkField />
    </FormDialog>
  )
}
