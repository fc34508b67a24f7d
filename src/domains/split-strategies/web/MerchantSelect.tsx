import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { Select } from '../../../web/ui/select.tsx'
import type { splitStrategies } from '../contract.ts'
import { percent } from './texts.ts'

export type Choices = Output<typeof splitStrategies.choices>
type Props = {
  readonly id?: string
  readonly value?: unknown
  readonly onChange?: (id: number | null) => void
  readonly merchants: Choices['merchants']
}

/** A merchant that takes money for the organisation, or the simulator. */
export function MerchantSelect({ id, value, onChange, merchants }: Props) {
  const { t } = useTranslation('splitStrategies')
  const simulator = { value: 0, label: t('simulator') }
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      value={typeof value === 'number' ? value : 0}
      options={[
        ...merchants.map((one) => ({ value: one.id, label: `${one.name} ${percent(one.feeBp)}` })),
        simulator,
      ]}
      onChange={(next: number) => onChange?.(next === 0 ? null : next)}
    />
  )
}
