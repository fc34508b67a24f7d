import { Select, TreeSelect } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { useSettled } from '../../../web/useSettled.ts'
import { roles } from '../../roles/contract.ts'
import { organisations, type TreeNode } from '../contract.ts'

type Props = { id?: string; value?: unknown; onChange?: (value: number | undefined) => void; placeholder?: string; prefix?: ReactNode; disabled?: boolean }
const own = (props: Omit<Props, 'value' | 'onChange'>) => ({
  ...(props.id ? { id: props.id } : {}),
  style: { width: '100%' },
  disabled: props.disabled ?? false,
  prefix: props.prefix,
  popupMatchSelectWidth: false,
})

export const useTree = () => useRead(organisations.tree, {}, { staleTime: 30_000, inline: true })

type Choice = { value: number; title: string; disabled: boolean; children: Choice[] }
/** Nothing moves below itself: what is `without`, and everything below it, cannot be chosen. */
function choices(nodes: readonly TreeNode[], without: number | undefined, off = false): Choice[] {
  return nodes.map((node) => {
    const disabled = off || node.value === without
    return { value: node.value, title: node.label, disabled, children: choices(node.children, without, disabled) }
  })
}

function titleOf(nodes: readonly Choice[], id: number): string {
  for (const node of nodes) {
    const found = node.value === id ? node.title : titleOf(node.children, id)
    if (found) return found
  }
  return ''
}

/** One organisation out of the tree, found by its name; virtual, so that thousands do not slow it down. */
export function OrganisationSelect(props: Props & { without?: number }) {
  const { t } = useTranslation('web')
  const read = useTree()
  const { without } = props
  const treeData = useMemo(() => choices(read.data?.list ?? [], without), [read.data, without])
  return (
    <TreeSelect
      {...own(props)}
      treeData={treeData}
      // with its words, because the field that waits for antd knows no tree
      labelInValue
      value={typeof props.value === 'number' ? { value: props.value, label: titleOf(treeData, props.value) } : null}
      loading={read.isPending}
      placeholder={props.placeholder ?? t('form.choose')}
      allowClear
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeDefaultExpandedKeys={(read.data?.list ?? []).map((node) => node.value)}
      listHeight={320}
      styles={{ popup: { root: { minWidth: 280 } } }}
      onChange={(next: { value: number; label: ReactNode } | null | undefined) => props.onChange?.(next?.value)}
    />
  )
}

/** Roles the actor may give to people of an organisation (his own), and those the account has already. */
export function AssignableRoles({
  id,
  value,
  onChange,
  orgId,
  held = [],
}: {
  orgId?: number | undefined
  id?: string
  value?: unknown
  onChange?: (value: number[]) => void
  held?: readonly { id: number; name: string }[]
}) {
  const { t } = useTranslation('web')
  const english = usePrefs().lang === 'en'
  const read = useRead(roles.assignable, orgId ? { orgId } : {}, { staleTime: 60_000, keep: true })
  const options = new Map(held.map((role) => [role.id, role.name]))
  for (const role of read.data?.list ?? []) options.set(role.id, english ? role.nameEn || role.name : role.name)
  return (
    <Select
      {...own(id ? { id } : {})}
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
export function RoleFilter(props: Props) {
  const { t } = useTranslation('web')
  const english = usePrefs().lang === 'en'
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim().slice(0, 60))
  const chosen = typeof props.value === 'number' ? { ids: [props.value] } : {}
  const read = useRead(roles.assignable, { ...chosen, ...(keyword ? { keyword } : {}) }, { staleTime: 60_000, keep: true })
  return (
    <Select
      {...own(props)}
      value={typeof props.value === 'number' ? props.value : null}
      loading={read.isFetching}
      placeholder={props.placeholder ?? t('form.choose')}
      allowClear
      showSearch={{ optionFilterProp: 'label', onSearch: setTyped }}
      options={(read.data?.list ?? []).map((role) => ({ value: role.id, label: english ? role.nameEn || role.name : role.name }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}
