import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallInput, Endpoint } from '../shared/contract.ts'
import { useRead } from './api.ts'
import type { RowOf } from './list/types.ts'
import { Select } from './ui/select.tsx'
import { useDebounced } from './useDebounced.ts'

/** What a form's field and a filter hand to every picker. */
export type PickProps<V = number | undefined> = {
  id?: string
  value?: unknown
  onChange?: (value: V) => void
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
  className?: string
}
type Props<E extends Endpoint, R = RowOf<E>> = PickProps<number | null> & {
  /**
   * Answers `{list}`; asked again with what is typed when its input has a `keyword`, and with the
   * chosen `id` when it has one.
   */
  from: E
  /** What else the endpoint is asked with; null: there is nothing to choose from yet. */
  input?: Partial<CallInput<E>> | null
  text: (row: R) => string
  draw?: (row: R) => ReactNode
  filter?: (row: R) => boolean
  onPick?: (row: R | undefined) => void
  /** Name for those who do not see the label. */
  label?: string
  /** As wide as its longest option; a number when options are drawn. */
  optionWidth?: number
}

/**
 * A row of an options endpoint by its name. Its number alone says nothing: the field waits for the
 * names.
 */
export function OptionSelect<E extends Endpoint>(props: Props<E>) {
  type R = RowOf<E> & { id: number }
  const { from, input, text, draw, onPick, filter } = props
  const { t } = useTranslation('web')
  const [typed, setTyped] = useState('')
  const settled = useDebounced(typed.trim())
  const searched = 'keyword' in from.input.shape
  const chosen = typeof props.value === 'number' ? props.value : undefined
  const asked = {
    ...input,
    ...(searched && settled ? { keyword: settled } : {}),
    ...('id' in from.input.shape && chosen ? { id: chosen } : {}),
  }
  const ready = input !== null
  const read = useRead(from, asked as CallInput<E>, {
    enabled: ready,
    keep: searched,
    staleTime: searched ? 10_000 : 30_000,
  })
  const all = ready ? (((read.data as { list: R[] } | undefined)?.list ?? []) as R[]) : []
  const rows = filter ? all.filter((row) => row.id === chosen || filter(row)) : all
  const known = searched || !read.isPending || !ready
  return (
    <Select
      {...(props.id ? { id: props.id } : {})}
      {...(props.label ? { 'aria-label': props.label } : {})}
      className={props.className ?? ''}
      style={props.className ? {} : { width: '100%' }}
      value={known ? (chosen ?? null) : null}
      allowClear
      disabled={(props.disabled ?? false) || !ready}
      loading={ready && (searched ? read.isFetching : read.isPending)}
      prefix={props.prefix}
      placeholder={props.placeholder ?? t('form.choose')}
      popupMatchSelectWidth={props.optionWidth ?? false}
      {...(draw ? { listItemHeight: 44 } : {})}
      showSearch={
        searched
          ? { filterOption: false, onSearch: setTyped, searchValue: typed }
          : { optionFilterProp: 'label' }
      }
      options={rows.map((row) => ({ value: row.id, label: text(row), row }))}
      {...(draw ? { optionRender: (option: { data: { row: R } }) => draw(option.data.row) } : {})}
      onChange={(next: number | null | undefined) => {
        props.onChange?.(next ?? null)
        onPick?.(rows.find((row) => row.id === next))
      }}
    />
  )
}
