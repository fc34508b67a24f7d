import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { referrers } from '../contract.ts'
import { locale } from '../locale.ts'

// pages of other domains use the picker without having loaded these texts
registerLocale('referrers', locale)

/** A referrer by name and the end of his number; `own`: of the own organisation. */
type Props = PickProps<number | null> & { own?: boolean; onPick?: (one: unknown) => void }
export function ReferrerSelect({ own, ...props }: Props) {
  const { t } = useTranslation('referrers')
  return (
    <OptionSelect
      {...props}
      label={t('one')}
      from={referrers.options}
      {...(own ? { input: { own } } : {})}
      text={({ referrerName, mobile }) => `${referrerName} ${mobile}`}
    />
  )
}
