import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Select, TreeSelect } from '../../../web/ui/select.tsx'
import { useSettled } from '../../../web/useSettled.ts'
import { accounts, type OrganisationOption } from '../../accounts/contract.ts'
import { notices } from '../contract.ts'

type Props = { id?: string; value?: number[]; onChange?: (ids: number[]) => void }
type Node = { value: number; title: string; children: Node[] }

function forest(list: readonly OrganisationOption[], parent: number | null): Node[] {
  return list
    .filter((o) => o.parentId === parent)
    .map((o) => ({ value: o.id, title: o.name, children: forest(list, o.id) }))
}

/** Organisations of the own tree. */
export function OrganisationsSelect({ id, value = [], onChange }: Props) {
  const { t } = useTranslation('web')
  const read = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const tree = useMemo(() => forest(read.data?.list ?? [], null), [read.data])
  return (
    <TreeSelect
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      multiple
      allowClear
      value={value}
      treeData={tree}
      loading={read.isPending}
      placeholder={t('form.choose')}
      treeDefaultExpandedKeys={tree.map((node) => node.value)}
      showSearch={{ treeNodeFilterProp: 'title' }}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

/** Roles at hand, any other by its name. */
export function RolesSelect({ id, value = [], onChange }: Props) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim().slice(0, 60))
  const chosen = value.length ? { ids: value } : {}
  const read = useRead(
    notices.roles,
    { ...chosen, ...(keyword ? { keyword } : {}) },
    { staleTime: 60_000, keep: true },
  )
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      mode="multiple"
      allowClear
      value={value}
      loading={read.isFetching}
      placeholder={t('form.choose')}
      showSearch={{ optionFilterProp: 'label', onSearch: setTyped }}
      options={(read.data?.list ?? []).map((role) => ({ value: role.id, label: role.name }))}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

/** People by name; `known` are those already chosen, whom the search may not show. */
export function PeopleSelect({
  id,
  value = [],
  onChange,
  known,
}: Props & { known: readonly { id: number; name: string }[] }) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const [met, setMet] = useState(new Map(known.map((person) => [person.id, person.name])))
  const keyword = typed.trim().slice(0, 60)
  const read = useRead(
    accounts.userOptions,
    keyword ? { keyword, pageSize: 50 } : { pageSize: 50 },
    { keep: true },
  )
  const found = (read.data?.list ?? []).map((user) => ({
    value: user.id,
    label: `${user.name || user.userName} (${user.userName})`,
  }))
  const chosen = value
    .filter((one) => !found.some((option) => option.value === one))
    .map((one) => ({ value: one, label: met.get(one) ?? String(one) }))
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      mode="multiple"
      allowClear
      value={value}
      loading={read.isFetching}
      placeholder={t('form.choose')}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      options={keyword ? found : [...chosen, ...found]}
      labelRender={({ value: one, label }) => label ?? met.get(Number(one)) ?? String(one)}
      onChange={(next: number[]) => {
        setMet(new Map([...met, ...found.map((option) => [option.value, option.label] as const)]))
        onChange?.(next)
      }}
    />
  )
}
