// The demo business as plain data: nothing here knows the database.

export { devices } from './devices.ts'
export { deviceTypes } from './deviceTypes.ts'
export { organisations } from './organisations.ts'
export { planogram } from './planogram.ts'
export { categories, products } from './products.ts'
export { DEMO_DAYS, dailyOrders, rhythm } from './rhythm.ts'
export { staff } from './staff.ts'
export type * from './types.ts'
