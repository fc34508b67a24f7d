import { Select } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { useRead } from '../../../web/api.ts'
import { deviceTypes } from '../contract.ts'

export type TypeOption = Output<typeof deviceTypes.options>['list'][number]
type Props = {
  id?: string
  value?: unknown
  onChange?: (value: number | undefined) => void
  onPick?: (option: TypeOption | undefined) => void
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
}

/** Types of the own organisation and those above. `onPick` gives the whole option: purpose, drop detection. */
export function DeviceTypeSelect({ id, value, onChange, onPick, placeholder, prefix, disabled = false }: Props) {
  const { t } = useTranslation('web')
  const read = useRead(deviceTypes.options, {}, { staleTime: 60_000 })
  const options = read.data?.list ?? []
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      value={typeof value === 'number' ? value : null}
      disabled={disabled}
      loading={read.isPending}
      prefix={prefix}
      placeholder={placeholder ?? t('form.choose')}
      allowClear
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      options={options.map((option) => ({ value: option.id, label: option.name }))}
      onChange={(next: number | null | undefined) => {
        onChange?.(next ?? undefined)
        onPick?.(options.find((option) => option.id === next))
      }}
    />
  )
}
