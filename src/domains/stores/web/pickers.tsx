import { Select } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { stores } from '../contract.ts'

type Props = {
  id?: string
  value?: unknown
  onChange?: (value: number | null) => void
  /** Only stores of this organisation; nothing to choose while it is `null`. */
  orgId?: number | null | undefined
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
}

/** A store by its name; without an organisation its name follows. */
export function StoreSelect({ orgId, ...props }: Props) {
  const { t } = useTranslation('web')
  const read = useRead(stores.options, typeof orgId === 'number' ? { orgId } : {}, { enabled: orgId !== null, staleTime: 30_000 })
  const list = orgId === null ? [] : (read.data?.list ?? [])
  return (
    <Select
      {...(props.id ? { id: props.id } : {})}
      style={{ width: '100%' }}
      // its number alone says nothing: the field waits for the names
      value={typeof props.value === 'number' && !read.isPending ? props.value : null}
      disabled={(props.disabled ?? false) || orgId === null}
      loading={orgId !== null && read.isPending}
      prefix={props.prefix}
      placeholder={props.placeholder ?? t('form.choose')}
      allowClear
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      options={list.map((store) => ({ value: store.id, label: orgId === undefined ? `${store.storeName} · ${store.orgName}` : store.storeName }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? null)}
    />
  )
}
