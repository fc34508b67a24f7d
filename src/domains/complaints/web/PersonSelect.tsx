import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Select } from '../../../web/ui/select.tsx'
import { accounts } from '../../accounts/contract.ts'

type Props = {
  id?: string
  value?: unknown
  onChange?: (id: number | undefined) => void
  placeholder?: string
  prefix?: ReactNode
}

/** Somebody of the scope, found by name. */
export function PersonSelect({ id, value, onChange, placeholder, prefix }: Props) {
  const { t } = useTranslation('web')
  const [keyword, setKeyword] = useState('')
  const read = useRead(
    accounts.userOptions,
    keyword ? { keyword, pageSize: 50 } : { pageSize: 50 },
    { keep: true },
  )
  const chosen = typeof value === 'number' ? value : undefined
  const listed = read.data?.list ?? []
  // who is not among the first is asked for by his number, so that he shows by name
  const held = useRead(
    accounts.userOptions,
    { ids: [chosen ?? 0] },
    {
      enabled:
        chosen !== undefined &&
        read.data !== undefined &&
        !listed.some((user) => user.id === chosen),
      inline: true,
      staleTime: 60_000,
    },
  )
  const people = new Map(
    [...(chosen === undefined ? [] : (held.data?.list ?? [])), ...listed].map((user) => [
      user.id,
      user,
    ]),
  )
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      prefix={prefix}
      value={chosen ?? null}
      loading={read.isFetching}
      placeholder={placeholder ?? t('form.choose')}
      allowClear
      popupMatchSelectWidth={false}
      showSearch={{ filterOption: false, onSearch: setKeyword }}
      options={[...people.values()].map((user) => ({
        value: user.id,
        label: `${user.name} ${user.userName}`,
      }))}
      onChange={(next: number | null | undefined) => onChange?.(next ?? undefined)}
    />
  )
}
