import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { Money } from '../../../web/Money.tsx'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { Cut, Muted } from '../../../web/ui/Text.tsx'
import { type ProductOption, products } from '../contract.ts'
import { locale } from '../locale.ts'
import { DrugMark } from './DrugMark.tsx'

// pages of other domains use the pickers without having loaded these texts
registerLocale('products', locale)

type Props = PickProps<number | null>

/** A category of the own organisation or one above it. */
export function CategorySelect(props: Props) {
  const { t } = useTranslation('products')
  const label = t('fields.categoryId')
  return (
    <OptionSelect
      {...props}
      label={label}
      from={products.allCategories}
      text={({ name }) => name}
    />
  )
}

type ProductProps = Props & {
  onPick?: (option: ProductOption | undefined) => void
  filter?: (option: ProductOption) => boolean
  input?: { source?: 'OWN'; drugs?: boolean }
}

/**
 * A product on the shelf; the chosen one shows whatever its status. `onPick` gives the whole
 * option: prices, drug class.
 */
export function ProductSelect(props: ProductProps) {
  const { t } = useTranslation('products')
  return (
    <OptionSelect
      placeholder={t('form.choose')}
      {...props}
      label={t('form.choose')}
      from={products.options}
      text={(option) => `${option.name} ${option.model}`}
      draw={(option) => <OptionRow option={option} offText={t('form.offShelf')} />}
      optionWidth={320}
    />
  )
}

const OptionRow = ({ option, offText }: { option: ProductOption; offText: string }) => (
  <Flex align="center" gap={8} style={{ minHeight: 36 }}>
    <Picture src={option.img} size={28} />
    <Cut>
      {option.name} <Muted small>{option.model}</Muted> <DrugMark drugClass={option.drugClass} />
      {option.status === 'OFF' ? <Muted small> {offText}</Muted> : null}
    </Cut>
    <Money fen={option.retailPrice} />
  </Flex>
)
