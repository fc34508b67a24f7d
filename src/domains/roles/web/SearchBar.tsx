import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { Flex, Input, Switch } from 'antd'
import type { ReactNode } from 'react'

type Props = {
  hint: string
  typed: string
  onType: (text: string) => void
  /** A switch that narrows the list. */
  only: { label: string; on: boolean; set: (on: boolean) => void }
  focus?: boolean
  className?: string | undefined
  children?: ReactNode
}

/** Words to look for, and a switch for what matters most. */
export const SearchBar = ({ hint, typed, onType, only, focus, className, children }: Props) => (
  <Flex wrap align="center" gap="8px 16px" className={className ?? ''}>
    <Input
      allowClear
      autoFocus={focus ?? false}
      style={{ flex: '1 1 180px' }}
      prefix={<SearchOutlined />}
      placeholder={hint}
      aria-label={hint}
      value={typed}
      onChange={(event) => onType(event.target.value)}
    />
    <Flex component="span" align="center" gap={6}>
      <Switch size="small" aria-label={only.label} checked={only.on} onChange={only.set} />
      {only.label}
    </Flex>
    {children}
  </Flex>
)
