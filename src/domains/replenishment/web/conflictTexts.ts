import { useTranslation } from 'react-i18next'
import type { Conflict } from '../conflictContract.ts'
import { signed, whyNot } from './shown.ts'

/** What happened, in one sentence. */
export function useSaid(): (row: Conflict) => string {
  const { t } = useTranslation('replenishment')
  return (row) => {
    if (row.kind === 'VEND_NEAR')
      return t('sync.near', {
        n: row.countedQty ?? 0,
        before: signed(row.diffBefore ?? 0),
        after: signed(row.diffAfter ?? 0),
      })
    if (row.kind === 'TRACE_CODE') return t('sync.codes', { codes: row.codes.join(' ') })
    const done = [
      row.countedQty === null ? null : t('sync.counted', { n: row.countedQty }),
      row.addedQty ? t('sync.added', { n: row.addedQty }) : null,
      row.withdrawnQty ? t('sync.withdrawn', { n: row.withdrawnQty }) : null,
    ].filter((part) => part !== null)
    return [done.join(t('sync.and')), row.error ? whyNot(row.error) : null]
      .filter(Boolean)
      .join(t('sync.but'))
  }
}
