import type { Access } from '../shared/contract.ts'
import type { Actor } from './context.ts'
import type { Scope } from './database.ts'

/** Somebody with an account: an actor once it is known for which right he acts. */
export type Person = Omit<Actor, 'sessionId'> & {
  /**
   * The rows he reaches by this right; for what every signed-in person may do, the widest of his
   * roles.
   */
  readonly scopeOf: (access: Access) => Scope
  readonly password: PasswordAge
  /** Changes when menus or rights of this person change; browsers read again when it does. */
  readonly mark: string
}

/** How a password stands: made by somebody else, and since when. */
export type PasswordAge = { readonly mustChange: boolean; readonly changedAt: Date }

export type SignedIn = Person & { readonly sessionId: string }

/**
 * What a person looks through: a role he previews (`x-view-role`), or an organisation below the
 * platform (`x-view-org`), one at a time. A view only takes away: rights and rows are those he has
 * anyway and the view has too, and nothing is changed through it (http.ts).
 */
export type View = {
  readonly kind: 'role' | 'org'
  readonly id: number
  readonly name: string
  readonly nameEn: string
  /** The role of whoever looks; what hangs on a role's identifier must hold for both (`byRole`). */
  readonly ownRole: string
  /**
   * Where he is at home: what he tries stands in its log, and nowhere in that of whom he looks
   * through.
   */
  readonly ownOrgId: number
  /**
   * What he may do himself: whether he must set up a second factor does not hang on what he looks
   * through.
   */
  readonly ownPermissions: ReadonlySet<string>
}
