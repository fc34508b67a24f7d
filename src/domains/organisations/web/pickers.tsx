import { useMemo } from 'react'
import { useRead } from '../../../web/api.ts'
import type { PickProps } from '../../../web/OptionSelect.tsx'
import { TreePick, type TreeRow } from '../../../web/TreePick.tsx'
import { organisations, type TreeNode } from '../contract.ts'

export const useTree = () => useRead(organisations.tree, {}, { staleTime: 30_000, inline: true })

const flat = (nodes: readonly TreeNode[], parentId: number | null = null): TreeRow[] =>
  nodes.flatMap(({ value: id, label: name, children }) => [
    { id, parentId, name },
    ...flat(children, id),
  ])

/**
 * One organisation out of the tree; nothing moves below itself: `without` and what is below it
 * cannot be chosen.
 */
export function OrganisationSelect(props: PickProps<number | null> & { without?: number }) {
  const read = useTree()
  const rows = useMemo(() => flat(read.data?.list ?? []), [read.data])
  return <TreePick {...props} rows={rows} loading={read.isPending} />
}
