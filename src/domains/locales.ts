import type { Locale } from '../shared/locale.ts'
import { locale as accounts } from './accounts/locale.ts'
import { locale as alerts } from './alerts/locale.ts'
import { locale as audit } from './audit/locale.ts'
import { locale as boards } from './boards/locale.ts'
import { locale as complaints } from './complaints/locale.ts'
import { locale as deviceCommands } from './device-commands/locale.ts'
import { locale as deviceSettings } from './device-settings/locale.ts'
import { locale as deviceTypes } from './device-types/locale.ts'
import { locale as devices } from './devices/locale.ts'
import { locale as distribution } from './distribution/locale.ts'
import { locale as files } from './files/locale.ts'
import { locale as geo } from './geo/locale.ts'
import { locale as jobs } from './jobs/locale.ts'
import { locale as lanes } from './lanes/locale.ts'
import { locale as notices } from './notices/locale.ts'
import { locale as orders } from './orders/locale.ts'
import { locale as organisations } from './organisations/locale.ts'
import { locale as products } from './products/locale.ts'
import { locale as reports } from './reports/locale.ts'
import { locale as roles } from './roles/locale.ts'
import { locale as security } from './security/locale.ts'
import { locale as session } from './session/locale.ts'
import { locale as settings } from './settings/locale.ts'
import { locale as stock } from './stock/locale.ts'
import { locale as stores } from './stores/locale.ts'
import { locale as users } from './users/locale.ts'

/** Texts of every domain by name; used by tests and the server, the web loads them lazily with their pages. */
export const locales: Record<string, Locale> = {
  accounts,
  alerts,
  audit,
  boards,
  complaints,
  devices,
  deviceCommands,
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
  products,
  reports,
  roles,
  security,
  session,
  settings,
  stock,
  stores,
  users,
}
