import { z } from 'zod'
import * as f from '../../shared/fields.ts'

/** A node of the menu tree, as the specification's client reads it; `hidden` authorises a route without showing it. */
export type MenuNode = {
  name: string
  path: string
  title: string
  titleEn: string
  icon: string
  sort: number
  hidden: boolean
  children: MenuNode[]
}
export const MenuNode: z.ZodType<MenuNode> = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    path: z.string(),
    title: z.string(),
    titleEn: z.string(),
    icon: z.string(),
    sort: z.number().int(),
    hidden: z.boolean(),
    children: z.array(MenuNode),
  }),
)

export const CurrentUser = z.strictObject({
  id: f.id,
  username: z.string(),
  realName: z.string(),
  /** Identifier of the user's highest role. */
  role: z.string(),
  is_superuser: z.boolean(),
  img: z.string(),
  title: z.string(),
  menus: z.array(MenuNode),
  permissions: z.array(z.string()),
  orgId: f.id,
  orgName: z.string(),
  /** The role or organisation this session looks through (headers `x-view-role`, `x-view-org`); nothing is changed meanwhile. */
  view: z.strictObject({ kind: z.enum(['role', 'org']), id: f.id, name: z.strictObject({ zh: z.string(), en: z.string() }) }).nullable(),
  /** May look through an organisation below. */
  canViewAs: z.boolean(),
  mustChangePassword: z.boolean(),
  /** The platform wants a second factor of this account, and there is none. */
  mustSetUpFactor: z.boolean(),
})
export type CurrentUser = z.infer<typeof CurrentUser>

export const Profile = z.strictObject({
  id: f.id,
  username: z.string(),
  realName: z.string(),
  /** Masked: a change goes by a code to the new number. */
  phone: z.string(),
  consumerPhone: z.string(),
  img: z.string(),
  address: z.string(),
  regionCode: z.string(),
  orgName: z.string(),
  roleNames: z.array(z.strictObject({ zh: z.string(), en: z.string() })),
  /** Agents and operators: customers call them and goods are sent to them. */
  serviceRequired: z.boolean(),
  version: f.version,
})
