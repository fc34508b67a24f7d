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

/** A machine of the scope, found by number or name; `typeOf`: of that machine's type alone. */
export function DeviceSelect({
  typeOf,
  ...props
}: PickedProps<number> & { typeOf?: number | undefined }) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const chosen = typeof props.value === 'number' ? props.value : undefined
  const asked = { ...(keyword ? { keyword } : {}), ...(typeOf ? { typeOf } : {}) }
  const found = useRead(machines.options, asked, { keep: true })
  const held = useRead(machines.options, { ids: [chosen ?? 0] }, { enabled: chosen !== undefined })
  const rows = new Map(
    [...(held.data?.list ?? []), ...(found.data?.list ?? [])].map((row) => [row.id, row]),
  )
  return (
    <Select
      {...wholeWidth(props)}
      value={chosen ?? null}
      placeholder={props.placeholder ?? t('form.choose')}
      loading={found.isFetching}
      popupMatchSelectWidth={false}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={[...rows.values()].map((row) => ({
        value: row.id,
        label: `${row.rtuNumber} ${row.nickname}`,
      }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}

type Named = { readonly rtuNumber: string; readonly nickname: string }
/** `col('rtuNumber', numberAndName)`: a machine in one column. */
export const numberAndName = {
  fit: (_: unknown, row: Named) => `${row.rtuNumber} ${row.nickname}`,
  render: (_: unknown, row: Named) => (
    <Cut title={row.nickname}>
      {row.rtuNumber} <Muted>{row.nickname}</Muted>
    </Cut>
  ),
}
