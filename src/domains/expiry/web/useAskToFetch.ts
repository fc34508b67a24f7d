import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { toast } from '../../../web/toast.ts'
import { type ExpiryRow, expiry } from '../contract.ts'

/** Asks for several lanes, and says of how many nobody was told, and why. */
export function useAskToFetch() {
  const { t } = useTranslation('expiry')
  const confirm = useConfirm()
  const write = useWrite(expiry.notify, { invalidates: ['expiry-items'] })
  return async (rows: readonly ExpiryRow[], done: () => void) => {
    const laneIds = [...new Set(rows.map((row) => row.laneId))]
    if (laneIds.length === 0) return
    const ask = { title: t('notifyAsk', { n: laneIds.length }), ok: t('notify') }
    if (laneIds.length > 1 && !(await confirm(ask))) return
    write.mutate(
      { laneIds },
      {
        onSuccess: ({ told, ...left }) => {
          const reasons = (['lately', 'nobody', 'fine'] as const).flatMap((key) =>
            left[key] ? [t(key, { n: left[key] })] : [],
          )
          const first = told ? t('notifyDone', { told }) : t('notifyNone')
          toast(told ? 'success' : 'info', [first, ...reasons].join(' · '))
          done()
        },
      },
    )
  }
}
