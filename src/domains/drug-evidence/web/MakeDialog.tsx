import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField, Field, Note, TextField } from '../../../web/form/fields.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { batches } from '../../batches/contract.ts'
import { machines } from '../../machines/contract.ts'
import { drugEvidence } from '../contract.ts'

const wide = { width: '100%' } as const
type Props<T> = { id?: string; value?: T; onChange?: (value: T | undefined) => void }

/** Machines of the scope; those that were chosen stay in the list. */
function DevicesSelect({ id, value, onChange }: Props<number[]>) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const found = useRead(machines.options, keyword ? { keyword } : {}, { keep: true })
  const held = useRead(machines.options, { ids: value ?? [] }, { enabled: Boolean(value?.length) })
  const rows = new Map(
    [...(held.data?.list ?? []), ...(found.data?.list ?? [])].map((row) => [row.id, row]),
  )
  return (
    <Select
      {...(id ? { id } : {})}
      style={wide}
      mode="multiple"
      maxTagCount={4}
      value={value ?? []}
      placeholder={t('form.choose')}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={[...rows.values()].map((row) => ({
        value: row.id,
        label: `${row.rtuNumber} ${row.nickname}`,
      }))}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

function BatchSelect({ id, value, onChange }: Props<number>) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const found = useRead(
    batches.list,
    { ...(keyword ? { keyword } : {}), pageSize: 50 },
    { keep: true },
  )
  return (
    <Select
      {...(id ? { id } : {})}
      style={wide}
      allowClear
      value={value ?? null}
      placeholder={t('form.choose')}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={(found.data?.list ?? []).map((row) => ({
        value: row.id,
        label: `${row.batchNo} ${row.productName}`,
      }))}
      onChange={(next: number | null | undefined) => onChange?.(next ?? undefined)}
    />
  )
}

export function MakeDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('drugEvidence')
  const today = shanghaiDay(new Date())
  return (
    <FormDialog
      ns="drugEvidence"
      title={t('make')}
      save={drugEvidence.make}
      initial={{ from: addDays(today, -29), to: today }}
      success="drugEvidence:makeDone"
      okText={t('make')}
      onClose={onClose}
    >
      <Note>{t('makeHint')}</Note>
      <Field name="deviceIds" wide>
        <DevicesSelect />
      </Field>
      <Field name="batchId">
        <BatchSelect />
      </Field>
      <TextField name="code" />
      <DayField name="from" />
      <DayField name="to" />
    </FormDialog>
  )
}
