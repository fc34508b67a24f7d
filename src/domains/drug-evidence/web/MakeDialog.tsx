import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, shanghaiDay } from '../../../shared/instants.ts'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { DayField, Field, Note, TextField } from '../../../web/form/fields.tsx'
import { formatCount } from '../../../web/Money.tsx'
import { type PickedProps, wholeWidth } from '../../../web/picked.ts'
import { Select } from '../../../web/ui/select.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { batches } from '../../batches/contract.ts'
import { DevicesSelect } from '../../machines/web/pickers.tsx'
import { drugEvidence } from '../contract.ts'
import { evidenceLimits } from '../rules.ts'

function BatchSelect(props: PickedProps<number>) {
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
      {...wholeWidth(props)}
      value={(props.value as number | undefined) ?? null}
      placeholder={t('form.choose')}
      loading={found.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={(found.data?.list ?? []).map((row) => ({
        value: row.id,
        label: `${row.batchNo} ${row.productName}`,
      }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
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
      <Note>
        {t('makeHint', { devices: evidenceLimits.devices, rows: formatCount(evidenceLimits.rows) })}
      </Note>
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
