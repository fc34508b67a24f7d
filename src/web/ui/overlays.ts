import type { DrawerProps, ModalProps } from 'antd'
import { whenOpen } from './waiting.tsx'

export const Modal = whenOpen<ModalProps>(() =>
  import('./overlaysReal.ts').then((found) => found.Modal),
)
export const Drawer = whenOpen<DrawerProps>(() =>
  import('./overlaysReal.ts').then((found) => found.Drawer),
)
