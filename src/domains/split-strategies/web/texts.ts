import type { TFunction } from 'i18next'
import type { StrategyVersion } from '../contract.ts'

/** `8.25%`. */
export const percent = (bp: number): string => `${bp / 100}%`

type Timed = Pick<StrategyVersion, 'timing' | 'timingNumber'>
export const timingText = (t: TFunction, { timing, timingNumber: n }: Timed): string =>
  timing === 'SECONDS'
    ? t('seconds', { n })
    : timing === 'MINUTES'
      ? t('minutes', { n })
      : t(`enums.timing.${timing}`)
