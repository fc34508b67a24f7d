import { useTranslation } from 'react-i18next'
import { twoDigits } from '../shown.ts'
import styles from './dialogs.module.css'

/** Lanes that stay as they are, by reason. */
export function Skipped({ rows }: { rows: readonly { road: number; reason: string }[] }) {
  const { t } = useTranslation('lanes')
  if (rows.length === 0) return null
  const reasons = [...Map.groupBy(rows, (row) => row.reason)]
  return (
    <ul className={styles.skipped}>
      {reasons.map(([reason, lanes]) => (
        <li key={reason}>
          <b>{t('copy.skip', { n: lanes.length })}</b> {reason}
          <small>{lanes.map(({ road }) => twoDigits(road)).join(' ')}</small>
        </li>
      ))}
    </ul>
  )
}
