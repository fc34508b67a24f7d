import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const parent = '/workbench/big-data'
export const screens = defineScreens([
  {
    path: '/workbench/situation',
    title: bi('运营态势', 'Situation'),
    permission: 'workbench:read',
  },
  { path: parent, title: bi('大数据看板', 'Big-data screen'), permission: 'screen:read' },
  {
    path: '/workbench/big-data/links',
    title: bi('展示链接', 'Display links'),
    permission: 'screen:share',
    parent,
  },
])
