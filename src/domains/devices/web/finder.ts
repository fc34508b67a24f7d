import { call } from '../../../web/call.ts'
import type { Finder } from '../../../web/product.ts'

/** Ctrl K finds machines; the contract loads with the first search. */
export const finder: Finder = {
  permission: 'device:read',
  async find(query) {
    const { devices } = await import('../contract.ts')
    const { list } = await call(devices.list, { keyword: query, pageSize: 3 })
    return list.map((row) => ({
      key: `device ${row.id}`,
      title: row.rtuNumber,
      hint: row.nickname,
      to: `/device/device-list?detail=${row.id}`,
      icon: 'device',
    }))
  },
}
