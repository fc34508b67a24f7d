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

type Scoped = Pick<StrategyVersion, 'laneIds' | 'categoryIds' | 'deviceIds'>
/** What it is for besides its machines; empty: nothing. */
export const scopeText = (t: TFunction, { laneIds, categoryIds, deviceIds }: Scoped): string =>
  [
    ['lanes', laneIds.length],
    ['categories', categoryIds.length],
    ['devices', deviceIds.length],
  ]
    .filter(([, n]) => n !== 0)
    .map(([key, n]) => t(`scopeOf.${key}`, { n }))
    .join(' · ')
