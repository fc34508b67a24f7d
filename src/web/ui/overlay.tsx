import type { DrawerProps, ModalProps } from 'antd'
import { later, whenOpen } from './later.tsx'

export const Modal = whenOpen<ModalProps>(
  later(async () => (await import('./parts.ts')).Modal),
  (props) => props.onCancel?.({} as never),
)
export const Drawer = whenOpen<DrawerProps>(
  later(async () => (await import('./parts.ts')).Drawer),
  (props) => props.onClose?.({} as never),
)
