import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { TreePick, type TreeRow } from '../../../web/TreePick.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { roles } from '../../roles/contract.ts'
import { type NamedRole, roleName } from '../../roles/rules.ts'
import { organisations, type TreeNode } from '../contract.ts'

export const useTree = () => useRead(organisations.tree, {}, { staleTime: 30_000, inline: true })

const flat = (nodes: readonly TreeNode[], parentId: number | null = null): TreeRow[] =>
  nodes.flatMap(({ value: id, label: name, children }) => [
    { id, parentId, name },
    ...flat(children, id),
  ])

/** One organisation out of the tree; nothing moves below itself: `without` and what is below it cannot be chosen. */
export function OrganisationSelect(props: PickProps<number | null> & { without?: number }) {
  const read = useTree()
  const rows = useMemo(() => flat(read.data?.list ?? []), [read.data])
  return <TreePick {...props} rows={rows} loading={read.isPending} />
}

/** Roles the actor may give to people of an organisation (his own), and those the account has already. */
export function AssignableRoles({
  id,
  value,
  onChange,
  orgId,
  held = [],
}: PickProps<number[]> & {
  orgId?: number | undefined
  held?: readonly (NamedRole & { id: number })[]
}) {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const read = useRead(roles.assignable, orgId ? { orgId } : {}, { staleTime: 60_000, keep: true })
  const options = new Map(
    [...held, ...(read.data?.list ?? [])].map((role) => [role.id, roleName(role, lang)]),
  )
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      popupMatchSelectWidth={false}
      mode="multiple"
      value={Array.isArray(value) ? (value as number[]) : []}
      loading={read.isPending}
      placeholder={t('form.choose')}
      showSearch={{ optionFilterProp: 'label' }}
      options={[...options].map(([role, label]) => ({ value: role, label }))}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

/** One role as a filter: those at hand, and any other by its name. */
export function RoleFilter(props: PickProps<number | null>) {
  const { lang } = usePrefs()
  return (
    <OptionSelect
      {...props}
      from={roles.assignable}
      input={typeof props.value === 'number' ? { ids: [props.value] } : {}}
      text={(role) => roleName(role, lang)}
    />
  )
}
