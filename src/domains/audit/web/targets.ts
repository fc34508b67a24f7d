import type { LogRow } from '../contract.ts'

/** Where the thing of a row has a page, and the right to open it. What was deleted has none. */
type Target = {
  readonly may: string
  readonly path: (id: string) => string
  readonly actions?: readonly string[]
}
const complaintActs = [
  'create',
  'claim',
  'reply',
  'note',
  'resolve',
  'invalidate',
  'reopen',
  'refund',
].map((act) => `complaints.${act}`)
const targets: Readonly<Record<string, Target>> = {
  orders: { may: 'order:read', path: (id) => `/order/order-details/${id}` },
  devices: {
    may: 'device:read',
    path: (id) => `/device/device-list?detail=${id}`,
    actions: ['devices.create', 'devices.update', 'devices.setLifecycle'],
  },
  lanes: { may: 'lane:read', path: (id) => `/device/device-list/cargo-road/${id}` },
  products: {
    may: 'product:read',
    path: (id) => `/product/product-manage/edit/${id}`,
    actions: ['products.create', 'products.edit', 'products.publish'],
  },
  complaints: {
    may: 'complaint:read',
    path: (id) => `/complaint/feedback?detail=${id}`,
    actions: complaintActs,
  },
  roles: {
    may: 'role:read',
    path: (id) => `/system/organ-role/edit/${id}`,
    actions: ['roles.create', 'roles.update'],
  },
}

export function targetPath(
  row: Pick<LogRow, 'module' | 'action' | 'targetId' | 'result'>,
  may: (permission: string) => boolean,
): string | null {
  const target = targets[row.module]
  if (!target || !/^\d+$/.test(row.targetId) || !may(target.may)) return null
  return target.actions && !target.actions.includes(row.action) ? null : target.path(row.targetId)
}
