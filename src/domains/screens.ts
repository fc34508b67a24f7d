import type { Screen } from '../shared/screens.ts'
import { screens as alerts } from './alerts/screens.ts'
import { screens as audit } from './audit/screens.ts'
import { screens as boards } from './boards/screens.ts'
import { screens as complaints } from './complaints/screens.ts'
import { screens as deviceTypes } from './device-types/screens.ts'
import { screens as devices } from './devices/screens.ts'
import { screens as distribution } from './distribution/screens.ts'
import { screens as jobs } from './jobs/screens.ts'
import { screens as lanes } from './lanes/screens.ts'
import { screens as notices } from './notices/screens.ts'
import { screens as orders } from './orders/screens.ts'
import { screens as organisations } from './organisations/screens.ts'
import { screens as products } from './products/screens.ts'
import { screens as reports } from './reports/screens.ts'
import { screens as roles } from './roles/screens.ts'
import { screens as security } from './security/screens.ts'
import { screens as session } from './session/screens.ts'
import { screens as settings } from './settings/screens.ts'
import { screens as stock } from './stock/screens.ts'
import { screens as stores } from './stores/screens.ts'
import { screens as users } from './users/screens.ts'

/** Every screen of the product, one line per domain. */
export const screens: readonly Screen[] = [
  ...alerts,
  ...audit,
  ...boards,
  ...complaints,
  ...devices,
  ...deviceTypes,
  ...distribution,
  ...jobs,
  ...lanes,
  ...notices,
  ...orders,
  ...organisations,
  ...products,
  ...reports,
  ...roles,
  ...session,
  ...settings,
  ...stock,
  ...security,
  ...stores,
  ...users,
]
