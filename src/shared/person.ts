import { z } from 'zod'
import { read, write } from './contract.ts'
import * as f from './fields.ts'

/**
 * A node of the menu tree, as the specification's client reads it; `hidden` authorises a route
 * without showing it.
 */
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
  /**
   * The role or organisation this session looks through (headers `x-view-role`, `x-view-org`);
   * nothing is changed meanwhile.
   */
  view: z
    .strictObject({
      kind: z.enum(['role', 'org']),
      id: f.id,
      name: z.strictObject({ zh: z.string(), en: z.string() }),
    })
    .nullable(),
  /** Looks at machines of others and changes nothing of them; every page says so. */
  readOnly: z.boolean(),
  /** May look through an organisation below. */
  canViewAs: z.boolean(),
  mustChangePassword: z.boolean(),
  /** The platform wants a second factor of this account, and there is none. */
  mustSetUpFactor: z.boolean(),
})
export type CurrentUser = z.infer<typeof CurrentUser>

/**
 * What every page needs of whoever is signed in: the shell asks for it first, the session domain
 * answers.
 */
export const person = {
  user: read('self', {
    path: '/auth/user',
    summary: 'The signed-in user with menus and permissions',
    output: CurrentUser,
  }),
  logout: write('self', {
    path: '/auth/logout',
    summary: 'End this session',
    audit: 'session.logout',
    output: f.done,
  }),
  preferences: read('self', {
    path: '/me/preferences',
    summary: 'Column settings and the like',
    output: z.record(z.string(), z.unknown()),
  }),
  savePreference: write('self', {
    method: 'PUT',
    path: '/me/preferences',
    summary: 'Keep one preference',
    audit: { none: 'layout of a screen, not an act' },
    input: z.strictObject({ key: z.string().regex(/^[a-z][\w.:/-]{0,99}$/i), value: z.unknown() }),
    output: f.done,
  }),
}
