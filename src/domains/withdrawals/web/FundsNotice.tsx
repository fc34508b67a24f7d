import { Alert, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { yuan } from '../../../shared/money.ts'
import { Muted } from '../../../web/ui/Text.tsx'
import type { withdrawals } from '../contract.ts'

export type Funds = Output<typeof withdrawals.funds>

/** What may be withdrawn, why no more, and the law on money that is kept for others. */
export function FundsNotice({ funds }: { funds: Funds }) {
  const { t } = useTranslation('withdrawals')
  const { available, balance, debts, reserve, underWay } = funds
  return (
    <Flex vertical gap={8}>
      {funds.ledgerMode ? <Alert type="warning" showIcon title={t('ledgerNotice')} /> : null}
      <Flex gap={16} wrap align="baseline">
        <strong>{t('funds', { available: yuan(available) })}</strong>
        {debts || reserve ? (
          <Muted>
            {t('fundsWhy', {
              balance: yuan(balance),
              debts: yuan(debts),
              reserve: yuan(reserve),
            })}
          </Muted>
        ) : null}
        {underWay ? <Muted>{t('underWay', { amount: yuan(underWay) })}</Muted> : null}
      </Flex>
    </Flex>
  )
}
