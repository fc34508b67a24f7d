import { Select } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useSettled } from '../../../web/useSettled.ts'
import { boards } from '../contract.ts'

/** Codes with which boards bind themselves to these machines: made on demand, drawn as QR codes, to be printed or taken along. */
export const ActivationPanel = lazyDialog(() =>
  import('./ActivationPanel.tsx').then((m) => m.ActivationPanel),
)

type Props = {
  id?: string
  value?: unknown
  onChange?: (value: number | undefined) => void
  /** Only boards that may go into machines of this organisation. */
  orgId?: number | undefined
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
}

/** A board that is free, found by its number. */
export function BoardSelect({ orgId, ...props }: Props) {
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim())
  const read = useRead(
    boards.options,
    { ...(keyword ? { keyword } : {}), ...(orgId ? { orgId } : {}) },
    { keep: true },
  )
  return (
    <Select
      {...(props.id ? { id: props.id } : {})}
      style={{ width: '100%' }}
      value={typeof props.value === 'number' ? props.value : null}
      disabled={props.disabled ?? false}
      loading={read.isFetching}
      prefix={props.prefix}
      placeholder={props.placeholder ?? t('form.choose')}
      allowClear
      popupMatchSelectWidth={false}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={(read.data?.list ?? []).map((board) => ({
        value: board.id,
        label: [board.boardNo, board.model].filter(Boolean).join(' · '),
      }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}
