import type { Access } from './contract.ts'

/**
 * A page of the product: its title and right are said here alone. The server builds menus from
 * these (only screens that exist are served; accounts/menus.ts says where they stand), the web
 * builds routes. One for every signed-in person (`self`, without a parent) stands in no menu.
 */
export type Screen = {
  /** Route below the base path, with `:id` parameters. */
  readonly path: string
  /** `zh` and `en` title packed with `bi`. */
  readonly title: string
  readonly permission: Access
  /** A sub-page travels with its parent's menu entry instead of having its own. */
  readonly parent?: string
  /** Needs the room: the side menu opens folded. */
  readonly wide?: boolean
}
export const defineScreens = <T extends readonly Screen[]>(screens: T): T => screens
