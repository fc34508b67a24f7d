import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

// the page stands in the menu of organisations and keeps the specification's route
const role = { group: 'organ', parent: '/system/organ-role' } as const
const menu = { group: 'system', parent: '/system/organ-menu' } as const

export const screens = defineScreens([
  { path: '/system/organ-role', title: bi('角色管理', 'Roles'), group: 'organ', permission: 'role:read' },
  { path: '/system/organ-role/create', title: bi('新增角色', 'New role'), permission: 'role:create', ...role },
  { path: '/system/organ-role/edit/:id', title: bi('编辑角色', 'Edit role'), permission: 'role:read', ...role },
  { path: '/system/organ-menu', title: bi('菜单管理', 'Menus'), group: 'system', permission: 'menu:read' },
  { path: '/system/organ-menu/create', title: bi('新增菜单', 'New menu'), permission: 'menu:create', ...menu },
  { path: '/system/organ-menu/edit/:id', title: bi('编辑菜单', 'Edit menu'), permission: 'menu:read', ...menu },
  {
    path: '/system/createroledistribute',
    title: bi('可创建角色设置', 'Roles selectable on user creation'),
    group: 'system',
    permission: 'role:distribute-read',
    wide: true,
  },
])
