import { useTranslation } from 'react-i18next'
import { registerLocale } from '../../../web/i18n.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { splitStrategies } from '../contract.ts'
import { locale } from '../locale.ts'

// pages of other domains use the picker without having loaded these texts
registerLocale('splitStrategies', locale)

/** One that is published; the chosen one whatever it is. */
export function StrategySelect({
  orgId,
  ...props
}: PickProps<number | null> & { readonly orgId?: number }) {
  const { t } = useTranslation('splitStrategies')
  return (
    <OptionSelect
      {...props}
      label={t('fields.name')}
      from={splitStrategies.options}
      {...(orgId === undefined ? {} : { input: { orgId } })}
      text={({ name, versionNo }) => `${name} v${versionNo}`}
    />
  )
}
