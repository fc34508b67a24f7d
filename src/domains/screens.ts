import type { Screen } from '../shared/screens.ts'
import { screens as deviceTypes } from './device-types/screens.ts'
import { screens as devices } from './devices/screens.ts'
import { screens as lanes } from './lanes/screens.ts'
import { screens as orders } from './orders/screens.ts'
import { screens as products } from './products/screens.ts'
import { screens as reports } from './reports/screens.ts'
import { screens as session } from './session/screens.ts'
import { screens as stock } from './stock/screens.ts'

/** Every screen of the product, one line per domain. */
export const screens: readonly Screen[] = [...devices, ...deviceTypes, ...lanes, ...orders, ...products, ...reports, ...session, ...stock]
