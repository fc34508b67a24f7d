import type { Handlers } from '../../../server/bind.ts'
import type { accounts, TreeNode } from '../contract.ts'
import * as q from './queries.ts'

export const handlers: Handlers<typeof accounts> = {
  async organisationOptions(ctx) {
    const list = await q.organisationOptions(ctx)
    return { list, total: list.length }
  },
  async organisationTree(ctx) {
    const nodes = new Map<number | null, TreeNode>()
    const list: TreeNode[] = []
    for (const { parentId, ...row } of await q.treeRows(ctx)) {
      const node: TreeNode = { ...row, children: [] }
      nodes.set(row.value, node)
      ;(nodes.get(parentId)?.children ?? list).push(node)
    }
    return { list }
  },
  async userOptions(ctx, input) {
    const { rows: list, total } = await q.userOptions(ctx, input)
    return { list, total }
  },
}
