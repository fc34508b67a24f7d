import type { Contract } from '../shared/contract.ts'
import { accounts } from './accounts/contract.ts'
import { deviceTypes } from './device-types/contract.ts'
import { devices } from './devices/contract.ts'
import { files } from './files/contract.ts'
import { lanes } from './lanes/contract.ts'
import { orders } from './orders/contract.ts'
import { payments } from './payments/contract.ts'
import { products } from './products/contract.ts'
import { reports } from './reports/contract.ts'
import { session } from './session/contract.ts'
import { stock } from './stock/contract.ts'

/** Every contract of the product, one line per domain. */
export const contracts = {
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
} satisfies Record<string, Contract>
