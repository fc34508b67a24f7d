import type { Locale } from '../shared/locale.ts'
import { locale as accounts } from './accounts/locale.ts'
import { locale as deviceTypes } from './device-types/locale.ts'
import { locale as devices } from './devices/locale.ts'
import { locale as files } from './files/locale.ts'
import { locale as lanes } from './lanes/locale.ts'
import { locale as orders } from './orders/locale.ts'
import { locale as products } from './products/locale.ts'
import { locale as reports } from './reports/locale.ts'
import { locale as session } from './session/locale.ts'
import { locale as stock } from './stock/locale.ts'

/** Texts of every domain by name; used by tests and the server, the web loads them lazily with their pages. */
export const locales: Record<string, Locale> = { accounts, devices, deviceTypes, files, lanes, orders, products, reports, session, stock }
