import type { DropdownProps, PopoverProps } from 'antd'
import { later, onUse } from './later.tsx'

export const Dropdown = onUse(
  later(async () => (await import('./parts.ts')).Dropdown as never),
) as unknown as (props: DropdownProps) => React.ReactNode
export const Popover = onUse(
  later(async () => (await import('./parts.ts')).Popover as never),
) as unknown as (props: PopoverProps) => React.ReactNode
