import { useTranslation } from 'react-i18next'
import { queryClient, readKey, useWrite } from '../../../../web/api.ts'
import { call } from '../../../../web/call.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import { devices } from '../../contract.ts'

/** Asks, reads the present version and lets the machine sell; a change in between answers 409. */
export function useLifecycle(): (id: number, rtuNumber: string) => Promise<void> {
  const { t } = useTranslation('devices')
  const confirm = useConfirm()
  const write = useWrite(devices.setLifecycle, { success: 'devices:success.setLifecycle' })
  return async (id, rtuNumber) => {
    const shown = await queryClient
      .fetchQuery({
        queryKey: readKey(devices.detail, { id }),
        queryFn: () => call(devices.detail, { id }),
        staleTime: 0,
      })
      .catch(() => null)
    if (!shown) return
    const title = `${t(shown.lifecycle === 'PAUSED' ? 'resume' : 'operate')} ${rtuNumber}`
    if (await confirm({ title, content: t('operateAsk'), ok: title }))
      write.mutate({ id, version: shown.version, to: 'OPERATING' })
  }
}
