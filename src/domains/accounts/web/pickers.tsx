import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import type { PickedProps } from '../../../web/picked.ts'
import { TreePick, type TreeRow } from '../../../web/TreePick.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { accounts, type TreeNode } from '../contract.ts'

const ownerKinds: readonly string[] = ['PLATFORM', 'AGENT', 'OPERATOR']

/** An organisation that may own machines. */
export const OwnerSelect = (props: PickedProps<number>) => (
  <OneOrganisation {...props} kinds={ownerKinds} />
)

/** Any organisation: sponsors and tenants are owed money too. */
export const OneOrganisation = ({
  kinds,
  onChange,
  ...props
}: PickedProps<number> & { kinds?: readonly string[] }) => (
  <OptionSelect
    {...props}
    from={accounts.organisationOptions}
    filter={({ kind }) => kinds?.includes(kind) ?? true}
    text={({ name }) => name}
    onChange={(id) => onChange?.(id ?? undefined)}
  />
)

export const useTree = () =>
  useRead(accounts.organisationTree, {}, { staleTime: 30_000, inline: true })

const flat = (nodes: readonly TreeNode[], parentId: number | null = null): TreeRow[] =>
  nodes.flatMap(({ value: id, label: name, children }) => [
    { id, parentId, name },
    ...flat(children, id),
  ])

/**
 * One organisation out of the tree; nothing moves below itself: `without` and what is below it
 * cannot be chosen.
 */
export function OrganisationSelect(props: PickProps<number | null> & { without?: number }) {
  const read = useTree()
  const rows = useMemo(() => flat(read.data?.list ?? []), [read.data])
  return <TreePick {...props} rows={rows} loading={read.isPending} />
}

type PersonProps = {
  id?: string
  value?: unknown
  onChange?: (id: number | undefined) => void
  placeholder?: string
  prefix?: ReactNode
}

/** Somebody of the scope, found by name. */
export function PersonSelect({ id, value, onChange, placeholder, prefix }: PersonProps) {
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
