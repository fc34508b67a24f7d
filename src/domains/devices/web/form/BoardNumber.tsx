import { AutoComplete } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { useMay } from '../../../../web/session.ts'
import { boards } from '../../../boards/contract.ts'

type Props = {
  id?: string
  value?: unknown
  onChange?: (value: string) => void
  orgId?: number | undefined
  disabled?: boolean
}

/**
 * A board's number: chosen among the free ones, or scanned and typed, since an unknown number is
 * registered.
 */
export function BoardNumber({ orgId, ...props }: Props) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const typed = typeof props.value === 'string' ? props.value : ''
  const read = useRead(boards.options, orgId ? { orgId } : {}, {
    enabled: may('main-board:read'),
    inline: true,
    staleTime: 30_000,
  })
  return (
    <AutoComplete
      {...(props.id ? { id: props.id } : {})}
      value={typed}
      disabled={props.disabled ?? false}
      allowClear
      placeholder={t('form.boardPick')}
      showSearch={{
        filterOption: (text, option) =>
          String(option?.value ?? '')
            .toLowerCase()
            .includes(text.toLowerCase()),
      }}
      options={(read.data?.list ?? []).map((board) => ({
        value: board.boardNo,
        label: [board.boardNo, board.model].filter(Boolean).join(' · '),
      }))}
      onChange={(value: string | undefined) => props.onChange?.(value ?? '')}
    />
  )
}
