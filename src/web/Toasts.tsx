import CheckCircleFilled from '@ant-design/icons/es/icons/CheckCircleFilled'
import CloseCircleFilled from '@ant-design/icons/es/icons/CloseCircleFilled'
import ExclamationCircleFilled from '@ant-design/icons/es/icons/ExclamationCircleFilled'
import InfoCircleFilled from '@ant-design/icons/es/icons/InfoCircleFilled'
import type { ComponentType } from 'react'
import { useSyncExternalStore } from 'react'
import styles from './Toasts.module.css'
import { currentToasts, onToasts, type ToastKind } from './toast.ts'

const icons: Readonly<Record<ToastKind, ComponentType>> = {
  success: CheckCircleFilled,
  error: CloseCircleFilled,
  warning: ExclamationCircleFilled,
  info: InfoCircleFilled,
}

/**
 * Needs nothing that would have to be loaded first: it also has to say that the network is gone.
 */
export function Toasts() {
  const toasts = useSyncExternalStore(onToasts, currentToasts)
  return (
    <div className={styles.toasts} aria-live="polite">
      {toasts.map(({ id, kind, text }) => {
        const Icon = icons[kind]
        return (
          <div
            key={id}
            className={styles.toast}
            data-kind={kind}
            role={kind === 'error' ? 'alert' : 'status'}
          >
            <Icon /> {text}
          </div>
        )
      })}
    </div>
  )
}
