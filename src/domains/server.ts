import type { Handlers } from '../server/bind.ts'
import { handlers as accounts } from './accounts/server/verbs.ts'
import type { contracts } from './contracts.ts'
import { handlers as deviceTypes } from './device-types/server/verbs.ts'
import { handlers as devices } from './devices/server/verbs.ts'
import { handlers as files } from './files/server/verbs.ts'
import { handlers as lanes } from './lanes/server/verbs.ts'
import { handlers as orders } from './orders/server/verbs.ts'
import { handlers as payments } from './payments/server/verbs.ts'
import { handlers as products } from './products/server/verbs.ts'
import { handlers as reports } from './reports/server/verbs.ts'
import { handlers as session } from './session/server/verbs.ts'
import { handlers as stock } from './stock/server/verbs.ts'

/** Every handler of the product, one line per domain. */
export const handlers: { readonly [D in keyof typeof contracts]: Handlers<(typeof contracts)[D]> } = {
  accounts,
  devices,
  deviceTypes,
  files,
  lanes,
  orders,
  payments,
  products,
  reports,
  session,
  stock,
}
