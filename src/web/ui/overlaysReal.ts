export { Drawer, Modal } from 'antd'
