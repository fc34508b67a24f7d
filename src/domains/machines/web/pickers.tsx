import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { type PickedProps, wholeWidth } from '../../../web/picked.ts'
import { Select } from '../../../web/ui/select.tsx'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { machines } from '../contract.ts'
import { locale } from '../locale.ts'

// every page may speak of faults
registerLocale('machines', locale)

/** A fault in words; one that this platform does not know as the machine says it. */
export function useFaultWord(): (code: string) => string {
  const { t } = useTranslation('machines')
  return (code) => t(`enums.faultCode.${code}`, { defaultValue: code })
}

/** What a picker of machines hands to its field: those that are found, and those that were chosen. */
function useMachines(
  chosen: readonly number[],
  { typeOf, keep }: { typeOf?: number | undefined; keep: boolean },
) {
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const asked = { ...(keyword ? { keyword } : {}), ...(typeOf ? { typeOf } : {}) }
  const found = useRead(machines.options, asked, { keep: true })
  const held = useRead(machines.options, { ids: [...chosen] }, { enabled: chosen.length > 0, keep })
  const rows = new Map(
    [...(held.data?.list ?? []), ...(found.data?.list ?? [])].map((row) => [row.id, row]),
  )
  return {
    loading: found.isFetching,
    showSearch: { filterOption: false as const, onSearch: setTyped, searchValue: typed },
    options: [...rows.values()].map((row) => ({
      value: row.id,
      label: `${row.rtuNumber} ${row.nickname}`,
    })),
  }
}

/** A machine of the scope, found by number or name; `typeOf`: of that machine's type alone. */
export function DeviceSelect({
  typeOf,
  ...props
}: PickedProps<number> & { typeOf?: number | undefined }) {
  const { t } = useTranslation('web')
  const chosen = typeof props.value === 'number' ? props.value : undefined
  const found = useMachines(chosen === undefined ? [] : [chosen], { typeOf, keep: false })
  return (
    <Select
      {...wholeWidth(props)}
      {...found}
      value={chosen ?? null}
      placeholder={props.placeholder ?? t('form.choose')}
      popupMatchSelectWidth={false}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}

type Several = {
  id?: string
  value?: readonly number[]
  onChange?: (ids: number[]) => void
  /** Instead of a label. */
  placeholder?: string
  without?: readonly number[]
}
/** Several of them; chosen ones keep their words while the search moves on. */
export function DevicesSelect({ id, value = [], onChange, placeholder, without = [] }: Several) {
  const { t } = useTranslation('web')
  const { options, ...found } = useMachines(value, { keep: true })
  return (
    <Select
      {...(id ? { id } : {})}
      {...found}
      mode="multiple"
      style={{ width: '100%' }}
      value={[...value]}
      options={options.filter((option) => !without.includes(option.value))}
      placeholder={placeholder ?? t('form.choose')}
      {...(placeholder ? { 'aria-label': placeholder } : {})}
      maxTagCount="responsive"
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

type Named = { readonly rtuNumber: string; readonly nickname: string }
/** `col('rtuNumber', numberAndName)`: a machine in one column. */
export const numberAndName = {
  width: 176,
  fit: (_: unknown, row: Named) => `${row.rtuNumber} ${row.nickname}`,
  render: (_: unknown, row: Named) => (
    <Cut title={row.nickname}>
      {row.rtuNumber} <Muted>{row.nickname}</Muted>
    </Cut>
  ),
}
