import { Alert, Checkbox, Form, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, SelectField, TextAreaField } from '../../../web/form/fields.tsx'
import { Money } from '../../../web/Money.tsx'
import { Empty, Problem } from '../../../web/Problem.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { type OrderDetail, orders } from '../../orders/contract.ts'
import { type Complaint, complaints } from '../contract.ts'
import styles from './complaints.module.css'
import { laneNo, type Piece, preselected } from './pieces.ts'

type Props = { complaint: Complaint; onClose: () => void }

/** The linked order's own refund, with the piece complained about chosen already. */
export function RefundDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  const read = useRead(orders.get, { orderNum: complaint.orderNum ?? '' }, { inline: true })
  const pieces = read.data?.units.filter((unit) => unit.canRefund) ?? []
  if (pieces.length > 0)
    return <RefundForm complaint={complaint} pieces={pieces} onClose={onClose} />
  return (
    <Modal open title={t('refund')} footer={null} onCancel={onClose}>
      {read.data ? (
        <Empty title={t('refunding.none')} hint={t('refunding.noneHint')} />
      ) : read.error ? (
        <Problem error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 4 }} />
      )}
    </Modal>
  )
}

function RefundForm({ complaint, pieces, onClose }: Props & { pieces: OrderDetail['units'] }) {
  const { t } = useTranslation('complaints')
  const initial = {
    id: complaint.id,
    version: complaint.version,
    unitIds: preselected(pieces, complaint.road),
    remark: '',
  }
  return (
    <FormDialog
      title={t('refund')}
      ns="complaints"
      save={complaints.refund}
      initial={initial}
      success="complaints:success.refund"
      okText={t('refund')}
      danger
      onClose={onClose}
    >
      <Field name="unitIds" label={t('pieces')} required wide plain>
        <Checkbox.Group
          className={styles.pieces ?? ''}
          options={pieces.map((unit) => ({ value: unit.id, label: <PieceLine piece={unit} /> }))}
        />
      </Field>
      <SelectField name="reason" wide />
      <Remark />
      <Sum pieces={pieces} />
    </FormDialog>
  )
}

/** "Something else" has to be said. */
const Remark = () => (
  <TextAreaField name="remark" rows={2} required={Form.useWatch('reason') === 'OTHER'} />
)

function PieceLine({ piece }: { piece: Piece }) {
  const { t } = useTranslation(['complaints', 'orders'])
  return (
    <span className={styles.piece}>
      <span>
        {piece.productName} {piece.model}
        <small>
          {[
            ...(piece.road === null ? [] : [t('onLane', { n: laneNo(piece.road) })]),
            t(`orders:enums.vendState.${piece.vendState}`),
          ].join(' · ')}
        </small>
      </span>
      <Money fen={piece.paid} />
    </span>
  )
}

function Sum({ pieces }: { pieces: OrderDetail['units'] }) {
  const { t } = useTranslation('complaints')
  const ids = Form.useWatch<number[] | undefined>('unitIds') ?? []
  const chosen = pieces.filter((unit) => ids.includes(unit.id))
  return (
    <div className={styles.wide} role="status">
      {chosen.some((unit) => unit.drugClass !== 'NONE') ? (
        <Alert type="warning" showIcon title={t('refunding.drug')} />
      ) : null}
      <p className={styles.quiet}>
        {chosen.length
          ? t('refunding.sum', { amount: yuan(chosen.reduce((sum, unit) => sum + unit.paid, 0)) })
          : t('refunding.choose')}
      </p>
    </div>
  )
}
