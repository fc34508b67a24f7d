import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { Chip } from '../../../web/ui/Text.tsx'
import { partyOf } from '../../ledger/rules.ts'
import type { Share } from '../contract.ts'

export const short = (name: string) => (name.length > 4 ? `${name.slice(0, 3)}…` : name)

/** Who gets how much; what went back is taken off. Whole names under the pointer. */
export function ShareChips({ shares }: { shares: readonly Share[] }) {
  const { t } = useTranslation('splits')
  return (
    <Flex gap={4} wrap component="span">
      {shares.map(({ orgId, referrerId, name, isCollector, given, returned }) => (
        <span
          key={partyOf({ orgId, referrerId })}
          title={isCollector ? `${name} · ${t('collects')}` : name}
        >
          <Chip>{t('share', { name: short(name), amount: yuan(given - returned) })}</Chip>
        </span>
      ))}
    </Flex>
  )
}
