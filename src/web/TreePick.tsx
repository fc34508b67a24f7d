import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { PickProps } from './OptionSelect.tsx'
import { TreeSelect } from './ui/select.tsx'

export type TreeRow = {
  readonly id: number
  readonly parentId: number | null
  readonly name: string
}
type Node = { value: number; title: string; disabled: boolean; children: Node[] }

/**
 * Rows of a forest as antd wants them; what is `without`, and everything below it, cannot be
 * chosen.
 */
export function grown(rows: readonly TreeRow[], without?: number): Node[] {
  const nodes = new Map<number, Node>(
    rows.map((row) => [row.id, { value: row.id, title: row.name, disabled: false, children: [] }]),
  )
  const roots = rows.flatMap((row) => {
    const node = nodes.get(row.id) as Node
    const parent = row.parentId === null ? undefined : nodes.get(row.parentId)
    parent?.children.push(node)
    return parent ? [] : [node]
  })
  const close = (node: Node) => {
    node.disabled = true
    node.children.forEach(close)
  }
  const closed = without === undefined ? undefined : nodes.get(without)
  if (closed) close(closed)
  return roots
}

type Props = PickProps<number | null> & {
  readonly rows: readonly TreeRow[]
  readonly loading: boolean
  readonly without?: number | undefined
}

/** One of a tree by its name; virtual, so that thousands do not slow it down. */
export function TreePick({ rows, loading, without, ...props }: Props) {
  const { t } = useTranslation('web')
  const treeData = useMemo(() => grown(rows, without), [rows, without])
  const chosen = typeof props.value === 'number' ? props.value : undefined
  return (
    <TreeSelect
      {...(props.id ? { id: props.id } : {})}
      style={{ width: '100%' }}
      treeData={treeData}
      // with its words, because the field that waits for antd knows no tree
      labelInValue
      value={
        chosen === undefined
          ? null
          : { value: chosen, label: rows.find((row) => row.id === chosen)?.name ?? '' }
      }
      disabled={props.disabled ?? false}
      loading={loading}
      prefix={props.prefix}
      placeholder={props.placeholder ?? t('form.choose')}
      allowClear
      popupMatchSelectWidth={false}
      showSearch={{ treeNodeFilterProp: 'title' }}
      treeDefaultExpandedKeys={treeData.map((node) => node.value)}
      listHeight={320}
      styles={{ popup: { root: { minWidth: 280 } } }}
      onChange={(next: { value: number; label: ReactNode } | null | undefined) =>
        props.onChange?.(next?.value ?? null)
      }
    />
  )
}
