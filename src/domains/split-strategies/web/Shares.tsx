import { useTranslation } from 'react-i18next'
import type { ShownParty } from '../contract.ts'
import styles from './shares.module.css'
import { percent } from './texts.ts'

type Share = Pick<ShownParty, 'ratioBp'> & { readonly name: string }

/** Shares of the whole, beside each other. */
export const ShareBar = ({ shares }: { shares: readonly Pick<Share, 'ratioBp'>[] }) => (
  <span className={styles.bar} aria-hidden="true">
    {shares.map(({ ratioBp }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a share is its position
      <span key={i} style={{ width: `${ratioBp / 100}%` }} />
    ))}
  </span>
)

/** Who has how much, in a cell of a list. */
export function Shares({ parties }: { parties: readonly ShownParty[] }) {
  const { t } = useTranslation('splitStrategies')
  const text = parties
    .map(({ name, ratioBp, isCollector }) =>
      [name, percent(ratioBp), isCollector ? `(${t('collects')})` : ''].filter(Boolean).join(' '),
    )
    .join(' · ')
  return (
    <span className={styles.shares} title={text}>
      <ShareBar shares={parties} />
      <span className={styles.names}>{text}</span>
    </span>
  )
}
