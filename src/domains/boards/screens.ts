import { defineScreens } from '../../shared/screens.ts'
import { bi } from '../../shared/text.ts'

export const screens = defineScreens([{ path: '/device/main-board', title: bi('主板管理', 'Main boards'), group: 'device', permission: 'main-board:read' }])
