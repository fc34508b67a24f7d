import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { BatchDialog } from '../../../web/BatchDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { deviceCommands } from '../contract.ts'
import { CommandState } from './CommandState.tsx'

/** Restart of at most 50 machines, each watched until it is back. */
export function RebootBatch({
  ids,
  onClose,
  onDone,
}: {
  ids: readonly number[]
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('deviceCommands')
  const plan = useRead(deviceCommands.previewReboots, { ids: [...ids] }, { staleTime: 0 })
  const run = useWrite(deviceCommands.rebootMany, {
    success: 'deviceCommands:success.rebootMany',
    invalidates: ['/api/devices'],
    onSuccess: onDone,
  })
  const cmdIds = (run.data?.results ?? []).flatMap((row) => row.cmdId ?? [])
  const states = useRead(
    deviceCommands.find,
    { cmdIds },
    { enabled: cmdIds.length > 0, inline: true, keep: true, every: 3000 },
  )
  useLive('commands', [deviceCommands.find.path])
  useEffect(() => {
    if (plan.isError) onClose()
  }, [plan.isError, onClose])
  const of = (cmdId: string | null) => states.data?.list.find((command) => command.cmdId === cmdId)
  return (
    <BatchDialog
      title={t('batchTitle')}
      ask={t('rebootAsk')}
      plan={plan.data}
      result={run.data}
      busy={run.isPending}
      danger
      onRun={() => run.mutate({ ids: [...ids] })}
      onClose={onClose}
      mark={(row) => {
        const command = of(row.cmdId)
        return command ? <CommandState command={command} /> : null
      }}
    />
  )
}
