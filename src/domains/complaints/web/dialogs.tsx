import { Alert } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import {
  Field,
  ImageField,
  NumberField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import { useMay } from '../../../web/session.ts'
import { Select } from '../../../web/ui/select.tsx'
import { PersonSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
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

/** `skipped`: chosen ones that are finished already. */
export function AssignDialog({
  ids,
  skipped = 0,
  onClose,
  onSaved,
}: {
  ids: readonly number[]
  skipped?: number
  onClose: () => void
  onSaved?: () => void
}) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog
      title={t('assign')}
      okText={t('assign')}
      ns="complaints"
      save={complaints.assign}
      initial={{ ids: [...ids] }}
      success="complaints:success.assign"
      onClose={onClose}
      onSaved={() => onSaved?.()}
    >
      {skipped ? (
        <Alert
          type="info"
          showIcon
          title={t('assignSkipped', { n: skipped })}
          className={styles.note ?? ''}
        />
      ) : null}
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
      okText={t('reply')}
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
    <FormDialog
      title={t('note')}
      ns="complaints"
      save={complaints.note}
      initial={same(complaint)}
      success="complaints:success.note"
      onClose={onClose}
    >
      <TextAreaField name="content" rows={4} />
    </FormDialog>
  )
}

export function ResolveDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  const initial = { ...same(complaint), ...(complaint.refunded ? { result: 'REFUND' } : {}) }
  return (
    <FormDialog
      title={t('resolve')}
      okText={t('resolve')}
      ns="complaints"
      save={complaints.resolve}
      initial={initial}
      success="complaints:success.resolve"
      onClose={onClose}
    >
      <SelectField name="result" wide />
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}

/** One dialog for what only wants a reason. */
export function ReasonDialog({
  complaint,
  verb,
  onClose,
}: Props & { verb: 'invalidate' | 'reopen' }) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog
      title={t(verb)}
      okText={t(verb)}
      ns="complaints"
      save={complaints[verb]}
      initial={same(complaint)}
      success={`complaints:success.${verb}`}
      onClose={onClose}
    >
      <TextAreaField name="remark" rows={3} />
    </FormDialog>
  )
}

export function MergeDialog({ complaint, onClose }: Props) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog
      title={t('merge')}
      okText={t('merge')}
      ns="complaints"
      save={complaints.merge}
      initial={same(complaint)}
      success="complaints:success.merge"
      onClose={onClose}
    >
      <Alert type="info" showIcon title={t('mainHint')} className={styles.note ?? ''} />
      <Field name="mainId" wide>
        <MainSelect complaint={complaint} />
      </Field>
    </FormDialog>
  )
}

/** Complaints about the same machine, newest first; typed words look through all of them. */
function MainSelect({
  complaint,
  id,
  value,
  onChange,
}: {
  complaint: Complaint
  id?: string
  value?: number
  onChange?: (id: number) => void
}) {
  const { t } = useTranslation('complaints')
  const [keyword, setKeyword] = useState('')
  const near = complaint.rtuNumber ? { rtuNumber: complaint.rtuNumber } : {}
  const read = useRead(
    complaints.list,
    { ...(keyword ? { keyword } : near), pageSize: 50 },
    { keep: true },
  )
  const others = (read.data?.list ?? []).filter(
    (row) => row.id !== complaint.id && row.state !== 'INVALID',
  )
  return (
    <Select
      {...(id ? { id } : {})}
      value={value ?? null}
      loading={read.isFetching}
      placeholder={t('mainChoose')}
      notFoundContent={read.isPending ? null : t('mainNone')}
      showSearch={{ filterOption: false, onSearch: setKeyword }}
      options={others.map((row) => ({
        value: row.id,
        label: `#${row.id} ${t(`enums.type.${row.type}`)} · ${row.username} · ${row.content}`,
      }))}
      onChange={(next: number | null) => (next === null ? undefined : onChange?.(next))}
    />
  )
}

export function RemoveDialog({ complaint, onClose, onSaved }: Props & { onSaved: () => void }) {
  const { t } = useTranslation('complaints')
  return (
    <FormDialog
      title={t('remove')}
      okText={t('remove')}
      danger
      ns="complaints"
      save={complaints.remove}
      initial={same(complaint)}
      success="complaints:success.remove"
      onClose={onClose}
      onSaved={onSaved}
    >
      <Alert type="warning" showIcon title={t('removeAsk')} className={styles.note ?? ''} />
      <TextAreaField name="reason" rows={2} />
    </FormDialog>
  )
}
