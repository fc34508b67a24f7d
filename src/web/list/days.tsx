import type { ComponentType } from 'react'
import { onTouch } from '../deferred.tsx'
import type { DayProps, DayRangeProps } from './DayFields.tsx'

/** Date fields are the heaviest part of antd: they load when somebody reaches for one. */
export const DayRange = onTouch(
  () => import('./DayFields.tsx').then((found) => ({ default: found.DayRange as never })),
  'RangePicker',
) as unknown as ComponentType<DayRangeProps>
export const Day = onTouch(
  () => import('./DayFields.tsx').then((found) => ({ default: found.Day as never })),
  'DatePicker',
) as unknown as ComponentType<DayProps>
