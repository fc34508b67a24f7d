import { Select } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { registerLocale } from '../../../web/i18n.ts'
import { Money } from '../../../web/Money.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { useSettled } from '../../../web/useSettled.ts'
import { type ProductOption, products } from '../contract.ts'
import { locale } from '../locale.ts'
import { DrugMark } from './DrugMark.tsx'
import styles from './products.module.css'

// pages of other domains use the pickers without having loaded these texts
registerLocale('products', locale)

type Props = {
  id?: string
  value?: unknown
  onChange?: (value: number | undefined) => void
  placeholder?: string
  prefix?: ReactNode
  disabled?: boolean
  className?: string
}
const own = (props: Props) => ({
  ...(props.id ? { id: props.id } : {}),
  className: props.className ?? styles.full ?? '',
  disabled: props.disabled ?? false,
  prefix: props.prefix,
  value: typeof props.value === 'number' ? props.value : null,
  allowClear: true,
})

/** A category of the own organisation or one above it. */
export function CategorySelect(props: Props) {
  const { t } = useTranslation(['products', 'web'])
  const read = useRead(products.allCategories, {}, { staleTime: 30_000 })
  return (
    <Select
      {...own(props)}
      aria-label={t('fields.categoryId')}
      placeholder={props.placeholder ?? t('web:form.choose')}
      loading={read.isPending}
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      options={(read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}

/** A product on the shelf; the chosen one shows whatever its status. `onPick` gives the whole option: prices, drug class. */
export function ProductSelect(props: Props & { onPick?: (option: ProductOption | undefined) => void; filter?: (option: ProductOption) => boolean }) {
  const { t } = useTranslation(['products', 'web'])
  const [typed, setTyped] = useState('')
  const keyword = useSettled(typed.trim())
  const chosen = typeof props.value === 'number' ? props.value : undefined
  const read = useRead(products.options, { ...(keyword ? { keyword } : {}), ...(chosen ? { id: chosen } : {}) }, { keep: true })
  const options = (read.data?.list ?? []).filter((option) => option.id === chosen || !props.filter || props.filter(option))
  return (
    <Select
      {...own(props)}
      aria-label={t('form.choose')}
      placeholder={props.placeholder ?? t('form.choose')}
      loading={read.isFetching}
      popupMatchSelectWidth={320}
      listItemHeight={44}
      showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
      options={options.map((option) => ({ value: option.id, label: `${option.name} ${option.model}`, option }))}
      optionRender={({ data }) => <OptionRow option={data.option} offText={t('form.offShelf')} />}
      onChange={(next: number | null | undefined) => {
        props.onChange?.(next ?? undefined)
        props.onPick?.(options.find((option) => option.id === next))
      }}
    />
  )
}

const OptionRow = ({ option, offText }: { option: ProductOption; offText: string }) => (
  <span className={styles.option}>
    <Picture src={option.img} size={28} />
    <span className={styles.optionName}>
      {option.name} <small>{option.model}</small> <DrugMark drugClass={option.drugClass} />
      {option.status === 'OFF' ? <small> {offText}</small> : null}
    </span>
    <Money fen={option.retailPrice} />
  </span>
)
