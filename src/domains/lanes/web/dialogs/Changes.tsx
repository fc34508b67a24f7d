import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../../shared/money.ts'
import type { Change } from '../../versionContract.ts'
import { twoDigits } from '../shown.ts'
import styles from './dialogs.module.css'

/** One difference in words: `03 售价 ¥3.00 → ¥2.50`. */
export function changeText(
  t: TFunction<'lanes'>,
  { road, level, field, from, to }: Change,
): string {
  const place = road === null ? t('levels.level', { n: level ?? 0 }) : twoDigits(road)
  if (field === 'added' || field === 'removed') return `${place} ${t(`history.${field}`)}`
  if (field === 'mergedInto')
    return `${place} ${to === null ? t('history.apart') : t('history.joined', { road: twoDigits(Number(to)) })}`
  const said = (value: Change['from']) => {
    if (value === null || value === '') return t('history.nothing')
    if (field === 'price' || field === 'retailPrice') return yuan(Number(value))
    return field === 'status' ? t(`enums.status.${value}`) : String(value)
  }
  return `${place} ${t(`history.fields.${field}`)} ${said(from)} → ${said(to)}`
}

/** Differences below each other, in a box that scrolls. */
export function Changes({
  changes = [],
  columns = 1,
}: {
  changes: readonly Change[] | undefined
  columns?: number
}) {
  const { t } = useTranslation('lanes')
  return (
    <ul className={styles.changes} style={{ columns: `${columns} 240px` }}>
      {changes.map((change) => (
        <li key={`${change.road}/${change.level}/${change.field}`}>{changeText(t, change)}</li>
      ))}
    </ul>
  )
}
