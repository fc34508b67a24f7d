import type { Access } from './contract.ts'

/**
 * A page of the product. The server builds menus from these (only screens that exist are served), the web builds
 * routes. `group` is the menu group; root children of the specification have none and open for every signed-in user.
 */
export type Screen = {
  /** Route below the base path, with `:id` parameters. */
  readonly path: string
  /** `zh` and `en` title packed with `bi`. */
  readonly title: string
  readonly group: string | null
  readonly permission: Access
  /** A sub-page travels with its parent's menu entry instead of having its own. */
  readonly parent?: string
  /** Needs the room: the side menu opens folded. */
  readonly wide?: boolean
}
export const defineScreens = <T extends readonly Screen[]>(screens: T): T => screens
