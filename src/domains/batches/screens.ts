import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const drugs = '/stock/prompt-expired-goods'
export const screens = defineScreens([
  {
    path: '/stock/drug-control/recalls',
    title: bi('召回', 'Recalls'),
    permission: 'batch:read',
    parent: drugs,
  },
  {
    path: '/stock/drug-control/codes',
    title: bi('追溯码', 'Trace codes'),
    permission: 'trace-code:read',
    parent: drugs,
  },
  {
    path: '/product/supplier-batch/batches',
    title: bi('批次管理', 'Batches'),
    permission: 'batch:read',
    parent: '/product/product-manage',
  },
])
