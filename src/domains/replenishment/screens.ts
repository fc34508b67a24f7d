import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/stock/replenish'
const permission = 'replenish:read'
export const screens = defineScreens([
  { path: parent, title: bi('补货管理', 'Replenishment'), permission },
  { path: '/stock/replenish/route', title: bi('补货路线', 'Route'), permission, parent },
  { path: '/stock/replenish/sync', title: bi('同步中心', 'Sync centre'), permission, parent },
  { path: '/stock/replenish/visits', title: bi('补货记录', 'Visits'), permission, parent },
  { path: '/stock/replenish/pick-lists', title: bi('拣货单', 'Pick lists'), permission, parent },
  {
    path: '/stock/replenish/pick-lists/:id',
    title: bi('拣货单', 'Pick list'),
    permission,
    parent,
  },
  {
    path: '/stock/replenish/visit/:id',
    title: bi('补货', 'Refill'),
    permission: 'replenish:update',
    parent,
  },
  {
    path: '/stock/waste/correct/:id',
    title: bi('更正库存', 'Correct the stock'),
    permission: 'stock-flow:correct',
    parent: '/stock/waste',
  },
])
