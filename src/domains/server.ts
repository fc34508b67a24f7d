import type { Handlers } from '../server/bind.ts'
import { handlers as accounts } from './accounts/server/verbs.ts'
import { handlers as alerts } from './alerts/server/verbs.ts'
import { handlers as audit } from './audit/server/verbs.ts'
import { handlers as boards } from './boards/server/verbs.ts'
import { handlers as complaints } from './complaints/server/verbs.ts'
import type { contracts } from './contracts.ts'
import { handlers as deviceCommands } from './device-commands/server/verbs.ts'
import { handlers as deviceSettings } from './device-settings/server/verbs.ts'
import { handlers as deviceTypes } from './device-types/server/verbs.ts'
import { handlers as devices } from './devices/server/verbs.ts'
import { handlers as distribution } from './distribution/server/verbs.ts'
import { handlers as files } from './files/server/verbs.ts'
import { handlers as geo } from './geo/server/verbs.ts'
import { handlers as jobs } from './jobs/server/verbs.ts'
import { handlers as lanes } from './lanes/server/verbs.ts'
import { handlers as notices } from './notices/server/verbs.ts'
import { handlers as orders } from './orders/server/verbs.ts'
import { handlers as organisations } from './organisations/server/verbs.ts'
import { handlers as payments } from './payments/server/verbs.ts'
import { handlers as products } from './products/server/verbs.ts'
import { handlers as reports } from './reports/server/verbs.ts'
import { handlers as menus } from './roles/server/menus.ts'
import { handlers as roles } from './roles/server/verbs.ts'
import { handlers as security } from './security/server/verbs.ts'
import { handlers as session } from './session/server/verbs.ts'
import { handlers as settings } from './settings/server/verbs.ts'
import { handlers as stock } from './stock/server/verbs.ts'
import { handlers as stores } from './stores/server/verbs.ts'
import { handlers as users } from './users/server/verbs.ts'

/** Every handler of the product, one line per domain. */
export const handlers: { readonly [D in keyof typeof contracts]: Handlers<(typeof contracts)[D]> } = {
  accounts,
  alerts,
  audit,
  boards,
  complaints,
  deviceCommands,
  devices,
  deviceSettings,
  deviceTypes,
  distribution,
  files,
  geo,
  jobs,
  lanes,
  notices,
  orders,
  organisations,
  payments,
  products,
  reports,
  menus,
  roles,
  session,
  settings,
  stock,
  security,
  stores,
  users,
}
