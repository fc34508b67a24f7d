import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useTarget } from '../../../web/useTarget.ts'

/** `query`: what the page shows first, such as `?deviceId=7`. */
export function DrugControlLink({ query = '' }: { query?: string }) {
  const { t } = useTranslation('drugControl')
  const to = useTarget()(`/stock/drug-control${query}`)
  return to ? <Link to={to}>{t('title')}</Link> : null
}
