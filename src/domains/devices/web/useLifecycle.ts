import { useTranslation } from 'react-i18next'
import { queryClient, readKey, useWrite } from '../../../web/api.ts'
import { call } from '../../../web/call.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { devices } from '../contract.ts'

/** Asks, reads the present version and changes the business state; a change in between answers 409. */
export function useLifecycle(): (id: number, rtuNumber: string, to: 'OPERATING' | 'PAUSED') => Promise<void> {
  const { t } = useTranslation('devices')
  const confirm = useConfirm()
  const write = useWrite(devices.setLifecycle, { success: 'devices:success.setLifecycle' })
  return async (id, rtuNumber, to) => {
    const pause = to === 'PAUSED'
    const shown = await queryClient
      .fetchQuery({ queryKey: readKey(devices.detail, { id }), queryFn: () => call(devices.detail, { id }), staleTime: 0 })
      .catch(() => null)
    if (!shown) return
    if (
      await confirm({
        title: `${t(pause ? 'pause' : shown.lifecycle === 'PAUSED' ? 'resume' : 'operate')} ${rtuNumber}`,
        content: t(pause ? 'pauseAsk' : 'operateAsk'),
        danger: pause,
      })
    )
      write.mutate({ id, version: shown.version, to })
  }
}
