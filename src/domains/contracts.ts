import type { Contract } from '../shared/contract.ts'
import { accounts } from './accounts/contract.ts'
import { alerts } from './alerts/contract.ts'
import { audit } from './audit/contract.ts'
import { boards } from './boards/contract.ts'
import { complaints } from './complaints/contract.ts'
import { deviceCommands } from './device-commands/contract.ts'
import { deviceSettings } from './device-settings/contract.ts'
import { deviceTypes } from './device-types/contract.ts'
import { devices } from './devices/contract.ts'
import { distribution } from './distribution/contract.ts'
import { files } from './files/contract.ts'
import { geo } from './geo/contract.ts'
import { jobs } from './jobs/contract.ts'
import { lanes } from './lanes/contract.ts'
import { notices } from './notices/contract.ts'
import { orders } from './orders/contract.ts'
import { organisations } from './organisations/contract.ts'
import { payments } from './payments/contract.ts'
import { products } from './products/contract.ts'
import { reports } from './reports/contract.ts'
import { roles } from './roles/contract.ts'
import { menus } from './roles/menuContract.ts'
import { security } from './security/contract.ts'
import { session } from './session/contract.ts'
import { settings } from './settings/contract.ts'
import { stock } from './stock/contract.ts'
import { stores } from './stores/contract.ts'
import { users } from './users/contract.ts'

/** Every contract of the product, one line per domain. */
export const contracts = {
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
} satisfies Record<string, Contract>
