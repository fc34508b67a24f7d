import { DatePicker } from 'antd'

export const { RangePicker } = DatePicker
export { DatePicker }
