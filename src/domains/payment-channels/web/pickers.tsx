import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { paymentChannels } from '../contract.ts'
import { locale } from '../locale.ts'

// pages of other domains use the picker without having loaded these texts
registerLocale('paymentChannels', locale)

/** A merchant by its name, channel and whose it is; of one organisation, or only active ones. */
export function MerchantSelect({
  orgId,
  active = false,
  ...props
}: PickProps<number | null> & { orgId?: number | null; active?: boolean }) {
  const { t } = useTranslation('paymentChannels')
  return (
    <OptionSelect
      {...props}
      label={t('one')}
      from={paymentChannels.options}
      input={{ ...(orgId ? { orgId } : {}), ...(active ? { state: 'ACTIVE' as const } : {}) }}
      text={({ merchantName, provider, operatorName }) =>
        `${merchantName} · ${t(`enums.provider.${provider}`)} · ${operatorName}`
      }
    />
  )
}
