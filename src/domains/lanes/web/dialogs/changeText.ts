import type { TFunction } from 'i18next'
import type { z } from 'zod'
import { yuan } from '../../../../shared/money.ts'
import type { Change } from '../../versionContract.ts'
import { twoDigits } from '../shown.ts'

type T = TFunction<'lanes'> | TFunction<readonly ['lanes', 'web']>
type Value = z.infer<typeof Change>['from']

/** One difference in words: `03 售价 ¥3.00 → ¥2.50`. */
export function changeText(t: T, { road, level, field, from, to }: z.infer<typeof Change>): string {
  const place = road === null ? t('levels.level', { n: level ?? 0 }) : twoDigits(road)
  if (field === 'added' || field === 'removed') return `${place} ${t(`history.${field}`)}`
  if (field === 'mergedInto')
    return `${place} ${to === null ? t('history.apart') : t('history.joined', { road: twoDigits(Number(to)) })}`
  const said = (value: Value) => {
    if (value === null || value === '') return t('history.nothing')
    if (field === 'price' || field === 'retailPrice') return yuan(Number(value))
    if (field === 'status') return t(`enums.status.${value}`)
    return String(value)
  }
  return `${place} ${t(`history.fields.${field}`)} ${said(from)} → ${said(to)}`
}
