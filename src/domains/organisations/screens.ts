import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

const manage = '/organ/organ-manage'
export const screens = defineScreens([
  { path: manage, title: bi('机构管理', 'Organisations'), permission: 'org:read' },
  {
    path: `${manage}/create`,
    title: bi('新增机构', 'New organisation'),
    permission: 'org:create',
    parent: manage,
  },
  {
    path: `${manage}/edit/:id`,
    title: bi('编辑机构', 'Edit organisation'),
    permission: 'org:update',
    parent: manage,
  },
])
