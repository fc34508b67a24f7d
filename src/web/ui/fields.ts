import type { CascaderProps, DatePickerProps, TreeSelectProps } from 'antd'
import type { DefaultOptionType } from 'antd/es/cascader'
import type { RangePickerProps } from 'antd/es/date-picker'
import type { Dayjs } from 'dayjs'
import { onTouch } from './waiting.tsx'

export const DatePicker = onTouch<DatePickerProps<Dayjs, false>>(
  () => import('./datesReal.ts').then((found) => found.DatePicker),
  'day',
)
export const RangePicker = onTouch<RangePickerProps>(
  () => import('./datesReal.ts').then((found) => found.RangePicker),
  'range',
)
export const Cascader = onTouch<
  CascaderProps<DefaultOptionType, keyof DefaultOptionType, false> & { readonly multiple?: false }
>(() => import('./treesReal.ts').then((found) => found.Cascader), 'select')
export const TreeSelect = onTouch<TreeSelectProps>(
  () => import('./treesReal.ts').then((found) => found.TreeSelect),
  'select',
)
