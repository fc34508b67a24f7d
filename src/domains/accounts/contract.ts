import { z } from 'zod'
import { orgKinds } from '../../shared/access.ts'
import { read } from '../../shared/contract.ts'
import * as f from '../../shared/fields.ts'
import { keyword, listQuery, page } from '../../shared/listQuery.ts'

/**
 * `parentId` is null at the top of what the actor sees, so that every answer is a complete forest.
 */
export const OrganisationOption = z.strictObject({
  id: f.id,
  parentId: f.id.nullable(),
  name: z.string(),
  kind: z.enum(orgKinds),
})
export type OrganisationOption = z.infer<typeof OrganisationOption>

/** With everything below it. */
export type TreeNode = {
  value: number
  label: string
  kind: (typeof orgKinds)[number]
  status: 'ENABLED' | 'DISABLED'
  children: TreeNode[]
}
const TreeNode: z.ZodType<TreeNode> = z.lazy(() =>
  z.strictObject({
    value: f.id,
    label: z.string(),
    kind: z.enum(orgKinds),
    status: z.enum(['ENABLED', 'DISABLED']),
    children: z.array(TreeNode),
  }),
)

/** The specification's user of lists and pickers; `role` is the identifier of the highest role. */
export const UserOption = z.strictObject({
  id: f.id,
  userName: z.string(),
  name: z.string(),
  avatar: z.string(),
  role: z.string(),
  address: z.string(),
  createTime: f.instant,
})
export type UserOption = z.infer<typeof UserOption>

export const accounts = {
  organisationOptions: read('self', {
    path: '/organisations/options',
    summary: 'Organisations the actor sees, parents before children',
    output: page(OrganisationOption),
  }),
  organisationTree: read('org:read', {
    path: '/organisations/tree',
    heavy: true,
    summary: 'All organisations of the scope, nested',
    output: z.strictObject({ list: z.array(TreeNode) }),
  }),
  userOptions: read('user:lookup', {
    path: '/users/options',
    summary: 'Enabled users for pickers',
    input: listQuery(
      {
        roleCode: z
          .string()
          .regex(/^ROLE_[A-Z0-9_]{1,60}$/)
          .optional(),
        orgId: f.id.optional(),
        keyword,
        /** Those somebody chose already, whatever their status: a picker shows them by name. */
        ids: z.array(f.id).max(200).optional(),
      },
      ['createTime', 'name', 'userName'],
      'name',
    ),
    output: page(UserOption),
  }),
}
