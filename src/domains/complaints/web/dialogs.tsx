import { Alert, Checkbox, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, ImageField, NumberField, SelectField, SwitchField, TextAreaField, TextField } from '../../../web/form/fields.tsx'
import { Money } from '../../../web/Money.tsx'
import { useMay } from '../../../web/session.ts'
import { accounts } from '../../accounts/contract.ts'
import { DeviceSelect } from '../../devices/web/pickers.tsx'
import { orders } from '../../orders/contract.ts'
import { type Complaint, complaints } from '../contract.ts'
import styles from './complaints.module.css'

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('complaints')
  const may = useMay()
  return (
    <FormDialog
      title={t('create')}
      ns="complaints"
      width={640}
      save={complaints.create}
      initial={{ source: 'PHONE', images: [] }}
      success="complaints:success.create"
      onClose={onClose}
    >
      <TextAreaField name="content" rows={3} />
      <SelectField name="type" />
      <SelectField name="source" />
      <TextField name="orderNum" />
      {may('device:read') ? (
        <Field name="deviceId">
          <DeviceSelect />
        </Field>
      ) : null}
      <NumberField name="road" />
      <TextField name="username" />
      <TextField name="contactPhone" />
      <ImageField name="images" max={5} />
    </FormDialog>
  )
}

/** Somebody of the scope, found by name. */
function PersonSelect({ value, onChange }: { value?: number; onChange?: (id: number | undefined) => void }) {
  const { t } = useTranslation('web')
  const [keyword, setKeyword] = useState('')
  const read = useRead(accounts.userOptions, keyword ? { keyword, pageSize: 50 } : { pageSize: 50 }, { keep: true })
  return (
    <Select
      style={{ width: '100%' }}
      value={value ?? null}
      loading={read.isFetching}
      placeholder={t('form.choose')}
      showSearch={{ filterOption: false, onSearch: setKeyword }}
      options={(read.data?.list ?? []).map((user) => ({ value: user.id, label: `${user.name} ${user.userName}` }))}
      onChange={(next: number | null) => onChange?.(next ?? undefined)}
    />
  )
}

export function AssignDialog({ ids, onClose }: { ids: readonly number[]; onClose: () => void }) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog title={t('assign')} ns="complaints" save={complaints.assign} initial={{ ids: [...ids] }} success="complaints:success.assign" onClose={onClose}>
      <Field name="assigneeId" wide>
        <PersonSelect />
      </Field>
    </FormDialog>
  )
}

type Props = { complaint: Complaint; onClose: () => void }
const same = (c: Complaint) => ({ id: c.id, version: c.version })

export function ReplyDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog
      title={t('reply')}
      ns="complaints"
      save={complaints.reply}
      initial={{ ...same(complaint), ask: false }}
      success="complaints:success.reply"
      onClose={onClose}
    >
      <TextAreaField name="content" rows={4} />
      <SwitchField name="ask" />
    </FormDialog>
  )
}

export function NoteDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog title={t('note')} ns="complaints" save={complaints.note} initial={same(complaint)} success="complaints:success.note" onClose={onClose}>
      <TextAreaField name="content" rows={4} />
    </FormDialog>
  )
}

export function ResolveDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  const initial = { ...same(complaint), ...(complaint.refunded ? { result: 'REFUND' } : {}) }
  return (
    <FormDialog title={t('resolve')} ns="complaints" save={complaints.resolve} initial={initial} success="complaints:success.resolve" onClose={onClose}>
      <SelectField name="result" wide />
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}

/** One dialog for what only wants a reason. */
export function ReasonDialog({ complaint, verb, onClose }: Props & { verb: 'invalidate' | 'reopen' }) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog title={t(verb)} ns="complaints" save={complaints[verb]} initial={same(complaint)} success={`complaints:success.${verb}`} onClose={onClose}>
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}

export function MergeDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog title={t('merge')} ns="complaints" save={complaints.merge} initial={same(complaint)} success="complaints:success.merge" onClose={onClose}>
      <Alert type="info" showIcon title={t('mainHint')} className={styles.wide ?? ''} />
      <NumberField name="mainId" />
    </FormDialog>
  )
}

export function RemoveDialog({ complaint, onClose, onSaved }: Props & { onSaved: () => void }) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog
      title={t('remove')}
      ns="complaints"
      save={complaints.remove}
      initial={same(complaint)}
      success="complaints:success.remove"
      onClose={onClose}
      onSaved={onSaved}
    >
      <Alert type="warning" showIcon title={t('removeAsk')} className={styles.wide ?? ''} />
      <TextAreaField name="reason" rows={2} />
    </FormDialog>
  )
}

export function RefundDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  const order = useRead(orders.get, { orderNum: complaint.orderNum ?? '' }, { inline: true })
  const units = (order.data?.units ?? []).filter((unit) => unit.canRefund)
  return (
    <FormDialog
      title={t('refund')}
      ns="complaints"
      save={complaints.refund}
      initial={{ ...same(complaint), unitIds: [], remark: '' }}
      success="complaints:success.refund"
      onClose={onClose}
    >
      <Field name="unitIds" label={t('pieces')} wide plain>
        <Checkbox.Group
          className={styles.pieces ?? ''}
          options={units.map((unit) => ({
            value: unit.id,
            label: (
              <>
                {unit.productName} {unit.model} · <Money fen={unit.paid} />
              </>
            ),
          }))}
        />
      </Field>
      <p className={styles.quiet}>{t('allPieces')}</p>
      <SelectField name="reason" wide />
      <TextAreaField name="remark" rows={2} />
    </FormDialog>
  )
}
