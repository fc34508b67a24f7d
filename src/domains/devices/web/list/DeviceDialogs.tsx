import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { FormDialog } from '../../../../web/FormDialog.tsx'
import { Note, TextAreaField, TextField } from '../../../../web/form/fields.tsx'
import { RebootBatch, useCommands } from '../../../device-commands/web/pickers.tsx'
import { SettingsBatch, SettingsDialog } from '../../../device-settings/web/pickers.tsx'
import { TestVendDialog } from '../../../lanes/web/pickers.tsx'
import { devices } from '../../contract.ts'
import { CopyToDialog, PauseBatch, TagBatch } from './batches.tsx'
import type { LeavingAct, Opened } from './verbs.ts'

type One = { id: number; rtuNumber: string; onClose: () => void }

/** The dialogs of the list and the drawer, loaded together when the first one opens. */
export function DeviceDialogs({ opened, onClose }: { opened: Opened; onClose: () => void }) {
  if ('selection' in opened) {
    const { act, selection } = opened
    const own = { ids: selection.keys.map(Number), onClose, onDone: selection.clear }
    if (act === 'settings') return <SettingsBatch {...own} />
    if (act === 'tags') return <TagBatch {...own} rows={selection.rows} />
    if (act === 'reboot') return <RebootBatch {...own} />
    if (act === 'pause') return <PauseBatch {...own} />
    return <CopyToDialog {...own} />
  }
  const { act, row } = opened
  const own = { id: row.id, rtuNumber: row.rtuNumber, onClose }
  if (act === 'settings') return <SettingsDialog id={row.id} onClose={onClose} />
  if (act === 'test') return <TestVendDialog {...own} online={row.status === 'online'} />
  if (act === 'REBOOT' || act === 'LOCK' || act === 'UNLOCK' || act === 'DOOR')
    return <Told {...own} type={act} />
  return <LeavingDialog {...own} act={act} />
}

/** Asks at once; what becomes of it is shown until it is closed. */
function Told({ type, onClose, ...row }: One & { type: 'REBOOT' | 'LOCK' | 'UNLOCK' | 'DOOR' }) {
  const { tell, dialog } = useCommands(onClose)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it opens
  useEffect(() => void tell(type, row), [])
  return dialog
}

/**
 * Stopping sales, selling, scrapping and bringing back: each asks why, and what cannot be undone
 * asks for the number.
 */
function LeavingDialog({ act, id, rtuNumber, onClose }: One & { act: LeavingAct }) {
  const { t } = useTranslation('devices')
  // the version of now, not of the list that was opened some time ago
  const read = useRead(devices.detail, { id }, { staleTime: 0 })
  useEffect(() => {
    if (read.isError) onClose()
  }, [read.isError, onClose])
  // later readings come while somebody types
  if (!read.data || !read.isFetchedAfterMount) return null
  const own = {
    title: `${t(`leaving.${act}.title`)} ${rtuNumber}`,
    ns: 'devices',
    okText: t(`leaving.${act}.title`),
    success: 'web:success.done',
    onClose,
  } as const
  const ask = <Note>{t(`leaving.${act}.ask`)}</Note>
  const start = { id, version: read.data.version }
  if (act === 'PAUSED')
    return (
      <FormDialog {...own} save={devices.setLifecycle} initial={{ ...start, to: act }}>
        <TextAreaField name="reason" label={t('leaving.PAUSED.ask')} required />
      </FormDialog>
    )
  if (act === 'restore')
    return (
      <FormDialog {...own} save={devices.restore} initial={start}>
        {ask}
        <TextAreaField name="reason" />
      </FormDialog>
    )
  return (
    <FormDialog {...own} danger save={devices.retire} initial={{ ...start, to: act }}>
      {ask}
      <TextField name="confirmNumber" wide required placeholder={rtuNumber} />
      <TextAreaField name="reason" />
    </FormDialog>
  )
}
