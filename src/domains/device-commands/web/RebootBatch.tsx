import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { BatchDialog, useBatch } from '../../../web/BatchDialog.tsx'
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
  const batch = useBatch({
    preview: deviceCommands.previewReboots,
    asked: { ids: [...ids] },
    save: deviceCommands.rebootMany,
    input: { ids: [...ids] },
    success: 'deviceCommands:success.rebootMany',
    invalidates: ['/api/devices'],
    onClose,
    onDone,
  })
  const cmdIds = (batch.result?.results ?? []).flatMap((row) => row.cmdId ?? [])
  const states = useRead(
    deviceCommands.find,
    { cmdIds },
    { enabled: cmdIds.length > 0, inline: true, keep: true, every: 3000 },
  )
  useLive('commands', [deviceCommands.find.path])
  const of = (cmdId: string | null) => states.data?.list.find((command) => command.cmdId === cmdId)
  return (
    <BatchDialog
      {...batch}
      title={t('batchTitle')}
      ask={t('rebootAsk')}
      danger
      mark={(row) => {
        const command = of(row.cmdId)
        return command ? <CommandState command={command} /> : null
      }}
    />
  )
}
