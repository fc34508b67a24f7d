import { useTranslation } from 'react-i18next'
import type { SubscriptionRow } from '../contract.ts'
import { timeOf } from './PlanFields.tsx'

/** `Mondays 08:00` */
export function usePlanText(): (
  row: Pick<SubscriptionRow, 'every' | 'onDay' | 'atHour'>,
) => string {
  const { t } = useTranslation('subscriptions')
  const weekdays = t('weekdays').split(',')
  return ({ every, onDay, atHour }) =>
    t(`plan.${every}`, {
      time: timeOf(atHour),
      weekday: weekdays[onDay - 1] ?? '',
      n: onDay,
    })
}
