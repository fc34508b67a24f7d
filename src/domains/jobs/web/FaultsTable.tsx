import { useTranslation } from 'react-i18next'
import type { RowFault } from '../contract.ts'
import styles from './jobs.module.css'

/** What is wrong with which row, as the server says it. */
export function FaultsTable({ faults }: { faults: readonly RowFault[] }) {
  const { t } = useTranslation('jobs')
  return (
    <section className={styles.faults} aria-label={t('faultsTitle')}>
      <table>
        <thead>
          <tr>
            <th>{t('fields.row')}</th>
            <th>{t('fields.column')}</th>
            <th>{t('fields.message')}</th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault) => (
            <tr key={`${fault.row} ${fault.column} ${fault.message}`}>
              <td>{t('importing.row', { row: fault.row })}</td>
              <td>{fault.title || '—'}</td>
              <td>{fault.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
