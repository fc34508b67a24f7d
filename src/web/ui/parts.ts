/** What opens over a page, in one chunk that loads when the first of it is opened. */
export { Drawer, Dropdown, Modal, Popover, Select } from 'antd'
