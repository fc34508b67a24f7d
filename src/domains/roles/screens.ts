import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

// stands in the menu of organisations and keeps the specification's route
const role = '/system/organ-role'
const menu = '/system/organ-menu'

export const screens = defineScreens([
  { path: role, title: bi('角色管理', 'Roles'), permission: 'role:read' },
  {
    path: `${role}/create`,
    title: bi('新增角色', 'New role'),
    permission: 'role:create',
    parent: role,
  },
  {
    path: `${role}/edit/:id`,
    title: bi('编辑角色', 'Edit role'),
    permission: 'role:read',
    parent: role,
  },
  { path: menu, title: bi('菜单管理', 'Menus'), permission: 'menu:read' },
  {
    path: `${menu}/create`,
    title: bi('新增菜单', 'New menu'),
    permission: 'menu:create',
    parent: menu,
  },
  {
    path: `${menu}/edit/:id`,
    title: bi('编辑菜单', 'Edit menu'),
    permission: 'menu:read',
    parent: menu,
  },
  {
    path: '/system/createroledistribute',
    title: bi('可创建角色设置', 'Roles on user creation'),
    permission: 'role:distribute-read',
    wide: true,
  },
])
