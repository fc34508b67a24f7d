import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { suppliers } from '../contract.ts'
import { locale } from '../locale.ts'

// pages of other domains use the pickers without having loaded these texts
registerLocale('suppliers', locale)

/** One that is enabled; the chosen one whatever it is. */
export function SupplierSelect(props: PickProps<number | null>) {
  const { t } = useTranslation('suppliers')
  return (
    <OptionSelect
      {...props}
      label={t('fields.name')}
      from={suppliers.options}
      text={({ name }) => name}
    />
  )
}
