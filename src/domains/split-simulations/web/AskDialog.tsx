import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, SelectField } from '../../../web/form/fields.tsx'
import { PercentInput } from '../../../web/form/PercentInput.tsx'
import { DayRange } from '../../../web/list/days.tsx'
import { DevicesSelect } from '../../machines/web/pickers.tsx'
import type { splitStrategies } from '../../split-strategies/contract.ts'
import { type SimulationRow, splitSimulations } from '../contract.ts'

type Props = {
  readonly strategyId: number
  readonly versions: Output<typeof splitStrategies.versions>['list']
  /** Of today and 29 days before it. */
  readonly range: readonly [from: string, to: string]
  readonly onClose: () => void
  readonly onSaved: (row: SimulationRow) => void
}

/** What is asked: a version, what it is compared with, the days, and what would be otherwise. */
export function AskDialog({ strategyId, versions, range, ...ends }: Props) {
  const { t } = useTranslation('splitSimulations')
  const [newest] = versions
  const counting = versions.find(({ state }) => state === 'PUBLISHED')
  const initial = {
    ...{ strategyId, versionNo: newest?.versionNo, comparedNo: counting?.versionNo ?? null },
    ...{ from: range[0], to: range[1], deviceIds: [], feeBp: null, refundBp: null, priceBp: 0 },
  }
  const options = versions.map(({ versionNo: n, state }) => ({
    value: n,
    label: t(state === 'DRAFT' ? 'draft' : 'version', { n }),
  }))
  return (
    <FormDialog
      title={t('inputs')}
      ns="splitSimulations"
      save={splitSimulations.create}
      initial={initial}
      success="web:success.done"
      okText={t('start')}
      toInput={({ priceBp, ...values }) => ({ ...values, priceBp: priceBp ?? 0 })}
      {...ends}
    >
      <SelectField name="versionNo" options={options} />
      <SelectField
        name="comparedNo"
        options={options.filter(({ value }) => value !== newest?.versionNo || counting === newest)}
        placeholder={t('unsplit')}
      />
      <Field name="to" label={t('fields.range')} required wide>
        <Days />
      </Field>
      <Field name="deviceIds" hint={t('allMachines')} wide>
        <DevicesSelect />
      </Field>
      <Field name="feeBp">
        <PercentInput placeholder={t('asItWas')} />
      </Field>
      <Field name="refundBp">
        <PercentInput placeholder={t('asItWas')} />
      </Field>
      <Field name="priceBp">
        <PercentInput placeholder={t('asItWas')} />
      </Field>
    </FormDialog>
  )
}

/** Both ends in one field; the second is the field's own value. */
function Days({ value, onChange }: { value?: string; onChange?: (to: string | null) => void }) {
  const { t } = useTranslation('splitSimulations')
  const form = Form.useFormInstance()
  const from = Form.useWatch('from', { form, preserve: true }) as string | undefined
  const today = shanghaiDay(new Date())
  return (
    <DayRange
      aria-label={t('fields.range')}
      style={{ width: '100%' }}
      value={[from ?? null, value ?? null]}
      off={(day) => day > today}
      onChange={([first, last]) => {
        form.setFieldValue('from', first ?? undefined)
        onChange?.(last)
      }}
    />
  )
}
