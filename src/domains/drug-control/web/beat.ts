import { queryClient } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { registerLocale, translate } from '../../../web/i18n.ts'
import { toast } from '../../../web/toast.ts'
import { dutyEndpoints } from '../dutyContract.ts'
import { locale } from '../locale.ts'
import { setOnDuty } from './onDuty.ts'

const everyMs = 60_000
registerLocale('drugControl', locale)

/** Each minute, and when a phone wakes up; a lost one is made good by the next. */
export function startBeat(userId: number, ended: AbortSignal): void {
  if (ended.aborted) return
  const beat = () =>
    call(dutyEndpoints.beat, {}).then(
      ({ stores }) => {
        if (stores.length || ended.aborted) return
        setOnDuty(userId, false)
        toast('error', translate('drugControl:duty.lapsed'))
        void queryClient.invalidateQueries({ queryKey: [dutyEndpoints.duties.path] })
      },
      () => undefined,
    )
  const wake = () => {
    if (document.visibilityState === 'visible') void beat()
  }
  const timer = setInterval(() => void beat(), everyMs)
  document.addEventListener('visibilitychange', wake)
  ended.addEventListener('abort', () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', wake)
  })
  void beat()
}
