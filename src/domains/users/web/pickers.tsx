import { TreeSelect } from 'antd'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { accounts } from '../../accounts/contract.ts'
import { users } from '../contract.ts'

/** Random (shown once) or typed; render it only while open. */
export const ResetDialog = lazyDialog(() => import('./ResetDialog.tsx').then((m) => m.ResetDialog))

type Props = { id?: string; value?: unknown; onChange?: (value: number | null) => void; placeholder?: string; prefix?: ReactNode; disabled?: boolean }
type Node = { value: number; title: string; children: Node[] }

/** Rows of a forest, parents before children, as antd wants them. */
function forest(rows: readonly { id: number; parentId: number | null; name: string }[]): Node[] {
  const nodes = new Map(rows.map((row) => [row.id, { value: row.id, title: row.name, children: [] as Node[] }]))
  for (const row of rows) if (row.parentId !== null) nodes.get(row.parentId)?.children.push(nodes.get(row.id) as Node)
  return rows.filter((row) => row.parentId === null || !nodes.has(row.parentId)).map((row) => nodes.get(row.id) as Node)
}

function titleOf(nodes: readonly Node[], id: number): string {
  for (const node of nodes) {
    const found = node.value === id ? node.title : titleOf(node.children, id)
    if (found) return found
  }
  return ''
}

function Choice({ nodes, loading, ...props }: Props & { nodes: Node[]; loading: boolean }) {
  const { t } = useTranslation('web')
  return (
    <TreeSelect
      {...(props.id ? { id: props.id } : {})}
      style={{ width: '100%' }}
      treeData={nodes}
      // with its words, because the field that waits for antd knows no tree
      labelInValue
      value={typeof props.value === 'number' ? { value: props.value, label: titleOf(nodes, props.value) } : null}
      disabled={props.disabled ?? false}
      loading={loading}
      prefix={props.prefix}
      placeholder={props.placeholder ?? t('form.choose')}
      allowClear
      popupMatchSelectWidth={false}
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeDefaultExpandedKeys={nodes.map((node) => node.value)}
      listHeight={320}
      styles={{ popup: { root: { minWidth: 240 } } }}
      onChange={(next: { value: number; label: ReactNode } | null | undefined) => props.onChange?.(next?.value ?? null)}
    />
  )
}

/** Any organisation the actor sees. */
export function HomeSelect(props: Props) {
  const read = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const nodes = useMemo(() => forest(read.data?.list ?? []), [read.data])
  return <Choice {...props} nodes={nodes} loading={read.isPending} />
}

/** A department of one organisation. */
export function DepartmentSelect({ orgId, ...props }: Props & { orgId: number | undefined }) {
  const read = useRead(users.departments, orgId ? { orgId } : {}, { enabled: orgId !== undefined, staleTime: 10_000 })
  const nodes = useMemo(() => forest(read.data?.list ?? []), [read.data])
  return (
    <Choice
      {...props}
      nodes={orgId === undefined ? [] : nodes}
      loading={orgId !== undefined && read.isPending}
      disabled={props.disabled || orgId === undefined}
    />
  )
}
