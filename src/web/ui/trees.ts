export { Cascader, TreeSelect } from 'antd'
