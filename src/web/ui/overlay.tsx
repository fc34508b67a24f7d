import type { DrawerProps, ModalProps } from 'antd'
import { onDemand, whenOpen } from './onDemand.tsx'

export const Modal = whenOpen<ModalProps>(
  onDemand(async () => (await import('./parts.ts')).Modal),
  (props) => props.onCancel?.({} as never),
)
export const Drawer = whenOpen<DrawerProps>(
  onDemand(async () => (await import('./parts.ts')).Drawer),
  (props) => props.onClose?.({} as never),
)
