import { useEffect } from 'react'
import { RebootBatch, useCommands } from '../../../device-commands/web/pickers.tsx'
import { SettingsBatch, SettingsDialog } from '../../../device-settings/web/pickers.tsx'
import { TestVendDialog } from '../../../lanes/web/pickers.tsx'
import { CopyToDialog } from './CopyToDialog.tsx'
import { LeavingDialog, PauseBatch } from './LifecycleDialogs.tsx'
import type { Opened } from './opened.ts'
import { TagBatch } from './TagBatch.tsx'

/** The dialogs of the list, loaded together when the first one opens. */
export function DeviceDialogs({ opened, onClose }: { opened: Opened; onClose: () => void }) {
  if ('selection' in opened) {
    const { keys, clear } = opened.selection
    const own = { ids: keys.map(Number), onClose, onDone: clear }
    if (opened.act === 'batchSettings') return <SettingsBatch {...own} />
    if (opened.act === 'batchTags')
      return <TagBatch selection={opened.selection} onClose={onClose} />
    if (opened.act === 'batchReboot') return <RebootBatch {...own} />
    if (opened.act === 'batchPause') return <PauseBatch {...own} />
    return <CopyToDialog ids={own.ids} onClose={onClose} />
  }
  const { act, row } = opened
  if (act === 'settings') return <SettingsDialog id={row.id} onClose={onClose} />
  if (act === 'test')
    return (
      <TestVendDialog
        id={row.id}
        rtuNumber={row.rtuNumber}
        online={row.status === 'online'}
        onClose={onClose}
      />
    )
  if (act === 'REBOOT' || act === 'LOCK' || act === 'UNLOCK')
    return <Told type={act} row={row} onClose={onClose} />
  return <LeavingDialog act={act} id={row.id} rtuNumber={row.rtuNumber} onClose={onClose} />
}

/** Asks at once; what becomes of it is shown until it is closed. */
function Told({
  type,
  row,
  onClose,
}: {
  type: 'REBOOT' | 'LOCK' | 'UNLOCK'
  row: { id: number; rtuNumber: string }
  onClose: () => void
}) {
  const { tell, dialog } = useCommands(onClose)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens
  useEffect(() => void tell(type, row), [])
  return dialog
}
