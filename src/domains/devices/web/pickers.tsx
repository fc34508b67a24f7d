import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Region } from '../../../shared/regions.ts'
import { useRead } from '../../../web/api.ts'
import { Cascader, Select } from '../../../web/ui/select.tsx'
import { useSettled } from '../../../web/useSettled.ts'
import { accounts } from '../../accounts/contract.ts'
import { devices } from '../contract.ts'

type Props<T> = {
  id?: string
  value?: unknown
  onChange?: (value: T | undefined) => void
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
}
const own = (props: Props<never>) => ({
  ...(props.id ? { id: props.id } : {}),
  style: { width: '100%' },
  disabled: props.disabled ?? false,
  prefix: props.prefix,
  allowClear: true,
})

/** A machine of the scope, found by number or name; `typeOf`: of that machine's type alone. */
export function DeviceSelect({
  typeOf,
  ...props
}: Props<number> & { typeOf?: number | undefined }) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim())
  const chosen = typeof props.value === 'number' ? props.value : undefined
  const asked = { ...(keyword ? { keyword } : {}), ...(typeOf ? { typeOf } : {}) }
  const found = useRead(devices.options, asked, { keep: true })
  const held = useRead(devices.options, { ids: [chosen ?? 0] }, { enabled: chosen !== undefined })
  const rows = new Map(
    [...(held.data?.list ?? []), ...(found.data?.list ?? [])].map((row) => [row.id, row]),
  )
  return (
    <Select
      {...own(props as Props<never>)}
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

/** An organisation that may own machines. */
export function OwnerSelect(props: Props<number>) {
  const { t } = useTranslation('web')
  const read = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const owners = (read.data?.list ?? []).filter((org) =>
    ['PLATFORM', 'AGENT', 'OPERATOR'].includes(org.kind),
  )
  return (
    <Select
      {...own(props as Props<never>)}
      value={typeof props.value === 'number' ? props.value : null}
      placeholder={props.placeholder ?? t('form.choose')}
      loading={read.isPending}
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      options={owners.map((org) => ({ value: org.id, label: org.name }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}

type Node = { value: string; label: string; children?: Node[] }
const node = (region: Region): Node => ({
  value: region.code,
  label: region.name,
  ...(region.children.length ? { children: region.children.map(node) } : {}),
})

/** The code of a region; `any` also takes provinces and cities. The list of regions loads when the field is first shown. */
export function RegionSelect({ any = false, ...props }: Props<string> & { any?: boolean }) {
  const { t } = useTranslation('web')
  const [regions, setRegions] = useState<typeof import('../../../shared/regions.ts')>()
  useEffect(
    () => void import('../../../shared/regions.ts').then((module) => setRegions(module)),
    [],
  )
  const options = useNodes(regions)
  const path =
    typeof props.value === 'string'
      ? (regions?.regionPath(props.value).map((region) => region.code) ?? [])
      : []
  return (
    <Cascader
      {...own(props as Props<never>)}
      options={options}
      value={path}
      changeOnSelect={any}
      loading={!regions}
      placeholder={props.placeholder ?? t('form.choose')}
      showSearch
      displayRender={(labels) => labels.join(' / ')}
      onChange={(codes) => props.onChange?.((codes as string[] | undefined)?.at(-1))}
    />
  )
}

const built = new WeakMap<object, Node[]>()
function useNodes(regions: typeof import('../../../shared/regions.ts') | undefined): Node[] {
  if (!regions) return []
  const held = built.get(regions) ?? regions.regionTree().map(node)
  built.set(regions, held)
  return held
}
