import type { DropdownProps, PopoverProps } from 'antd'
import { onDemand, onUse } from './onDemand.tsx'

export const Dropdown = onUse(
  onDemand(async () => (await import('./parts.ts')).Dropdown as never),
) as unknown as (props: DropdownProps) => React.ReactNode
export const Popover = onUse(
  onDemand(async () => (await import('./parts.ts')).Popover as never),
) as unknown as (props: PopoverProps) => React.ReactNode
