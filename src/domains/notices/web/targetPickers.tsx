import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { grown } from '../../../web/TreePick.tsx'
import { Select, TreeSelect } from '../../../web/ui/select.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { accounts } from '../../accounts/contract.ts'
import { notices } from '../contract.ts'

type Props = { id?: string; value?: number[]; onChange?: (ids: number[]) => void }

/** What every picker of several hands to its field. */
const useSeveral = ({ id, value = [], onChange }: Props) => ({
  ...(id ? { id } : {}),
  style: { width: '100%' },
  allowClear: true,
  placeholder: useTranslation('web').t('form.choose'),
  value,
  onChange: (next: number[]) => onChange?.(next),
})

/** Organisations of the own tree. */
export function OrganisationsSelect(props: Props) {
  const several = useSeveral(props)
  const read = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const tree = useMemo(() => grown(read.data?.list ?? []), [read.data])
  return (
    <TreeSelect
      {...several}
      multiple
      treeData={tree}
      loading={read.isPending}
      treeDefaultExpandedKeys={tree.map((node) => node.value)}
      showSearch={{ treeNodeFilterProp: 'title' }}
    />
  )
}

/** Roles at hand, any other by its name. */
export function RolesSelect(props: Props) {
  const several = useSeveral(props)
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim().slice(0, 60))
  const asked = {
    ...(several.value.length ? { ids: several.value } : {}),
    ...(keyword ? { keyword } : {}),
  }
  const read = useRead(notices.roles, asked, { staleTime: 60_000, keep: true })
  return (
    <Select
      {...several}
      mode="multiple"
      loading={read.isFetching}
      showSearch={{ optionFilterProp: 'label', onSearch: setTyped }}
      options={(read.data?.list ?? []).map((role) => ({ value: role.id, label: role.name }))}
    />
  )
}

type PeopleProps = Props & { known: readonly { id: number; name: string }[] }

/** People by name; `known` are those already chosen, whom the search may not show. */
export function PeopleSelect({ known, ...props }: PeopleProps) {
  const several = useSeveral(props)
  const [typed, setTyped] = useState('')
  const [met, setMet] = useState(new Map(known.map((person) => [person.id, person.name])))
  const keyword = typed.trim().slice(0, 60)
  const asked = { pageSize: 50 as const, ...(keyword ? { keyword } : {}) }
  const read = useRead(accounts.userOptions, asked, { keep: true })
  const nameOf = (id: number) => met.get(id) ?? String(id)
  const found = (read.data?.list ?? []).map((user) => ({
    value: user.id,
    label: `${user.name || user.userName} (${user.userName})`,
  }))
  const chosen = several.value
    .filter((id) => !found.some((option) => option.value === id))
    .map((id) => ({ value: id, label: nameOf(id) }))
  return (
    <Select
      {...several}
      mode="multiple"
      loading={read.isFetching}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      options={keyword ? found : [...chosen, ...found]}
      labelRender={({ value, label }) => label ?? nameOf(Number(value))}
      onChange={(next: number[]) => {
        setMet(new Map([...met, ...found.map((option) => [option.value, option.label] as const)]))
        several.onChange(next)
      }}
    />
  )
}
