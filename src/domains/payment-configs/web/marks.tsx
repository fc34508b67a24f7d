import { useTranslation } from 'react-i18next'
import type { Tone } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Chip, Muted } from '../../../web/ui/Text.tsx'
import type { MerchantState as State } from '../../payment-channels/rules.ts'
import type { ConfigRow } from '../contract.ts'
import { certTone } from '../rules.ts'

export const tones: Readonly<Record<State, Tone>> = {
  UNTESTED: 'warn',
  ACTIVE: 'online',
  DISABLED: 'locked',
  ERROR: 'fault',
}

/** A key by its end. */
export function SecretTail({ secret }: { secret: ConfigRow['keys']['desKey'] }) {
  const { t } = useTranslation('paymentConfigs')
  if (!secret.set) return <Muted>{t('unset')}</Muted>
  return <span className="hd-mono">••••{secret.tail}</span>
}

/** Amber within a month of the end, red within a week. */
export function CertUntil({ until }: { until: string | null }) {
  const tone = certTone(until, new Date())
  if (tone === 'fine') return <Time at={until} />
  return (
    <Chip tone={tone === 'red' ? 'fault' : 'warn'}>
      <Time at={until} />
    </Chip>
  )
}

/** Hundredths of a percent. */
export const percentOf = (bp: number): string => `${(bp / 100).toFixed(2)}%`
