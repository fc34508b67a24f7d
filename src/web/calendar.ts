/**
 * Names of months and days in Chinese for antd's calendars, which take them by antd's language;
 * English is there anyway.
 */
import 'dayjs/locale/zh-cn'

export { default as dayjs } from 'dayjs'
