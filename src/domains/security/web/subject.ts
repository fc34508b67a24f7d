import { useTranslation } from 'react-i18next'
import type { SecurityRow } from '../contract.ts'

/** Who or what an event is about, as people read it. */
export function useSubject() {
  const { t } = useTranslation('security')
  return ({ kind, subject }: Pick<SecurityRow, 'kind' | 'subject'>): string =>
    subject === '*'
      ? t('others')
      : kind === 'PAYMENT_FORGED'
        ? t(`provider.${subject}`, { defaultValue: subject })
        : subject
}
