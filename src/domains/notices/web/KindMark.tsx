import AlertOutlined from '@ant-design/icons/es/icons/AlertOutlined'
import FileDoneOutlined from '@ant-design/icons/es/icons/FileDoneOutlined'
import InboxOutlined from '@ant-design/icons/es/icons/InboxOutlined'
import KeyOutlined from '@ant-design/icons/es/icons/KeyOutlined'
import NotificationOutlined from '@ant-design/icons/es/icons/NotificationOutlined'
import SettingOutlined from '@ant-design/icons/es/icons/SettingOutlined'
import ShoppingOutlined from '@ant-design/icons/es/icons/ShoppingOutlined'
import type { ReactNode } from 'react'
import { href } from '../../../web/base.ts'
import type { MessageRow } from '../messageContract.ts'
import styles from './notices.module.css'

const icons: Record<MessageRow['kind'], ReactNode> = {
  ANNOUNCEMENT: <NotificationOutlined />,
  DEVICE_ALARM: <AlertOutlined />,
  ORDER: <ShoppingOutlined />,
  STOCK: <InboxOutlined />,
  JOB: <FileDoneOutlined />,
  LEASE: <KeyOutlined />,
  SYSTEM: <SettingOutlined />,
}

/** The cover picture, or the sign of the kind. */
export const KindMark = ({ kind, img }: { kind: MessageRow['kind']; img: string }) => (
  <span className={styles.thumb} aria-hidden="true">
    {img ? <img src={href(img)} alt="" loading="lazy" /> : icons[kind]}
  </span>
)
