import { Input } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../../shared/text.ts'
import { useRead, useWrite } from '../../../../web/api.ts'
import { BatchDialog } from '../../../../web/BatchDialog.tsx'
import { FormDialog } from '../../../../web/FormDialog.tsx'
import { Note, TextAreaField, TextField } from '../../../../web/form/fields.tsx'
import { usePrefs } from '../../../../web/prefs.ts'
import { Bad } from '../../../../web/ui/Text.tsx'
import { devices } from '../../contract.ts'
import { reasonText } from '../../lifecycleContract.ts'
import type { LeavingAct } from './opened.ts'

type Leaving = { readonly act: LeavingAct; readonly id: number; readonly rtuNumber: string }

/**
 * Stopping sales, selling, scrapping and bringing back: each asks why, and what cannot be undone
 * asks for the number.
 */
export function LeavingDialog({ act, id, rtuNumber, onClose }: Leaving & { onClose: () => void }) {
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
    success: 'devices:success.setLifecycle',
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

export function PauseBatch({
  ids,
  onClose,
  onDone,
}: {
  ids: readonly number[]
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('devices')
  const { lang } = usePrefs()
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const missing = tried && reason.trim() === ''
  const plan = useRead(devices.previewPauses, { ids: [...ids] }, { staleTime: 0 })
  const run = useWrite(devices.pauseMany, {
    success: 'devices:success.setLifecycle',
    onSuccess: onDone,
  })
  useEffect(() => {
    if (plan.isError) onClose()
  }, [plan.isError, onClose])
  return (
    <BatchDialog
      title={t('batch.pause')}
      ask={
        <label htmlFor="pause-reason">
          {t('leaving.PAUSED.ask')}
          <Input
            id="pause-reason"
            value={reason}
            maxLength={200}
            status={missing ? 'error' : ''}
            aria-invalid={missing}
            onChange={(event) => setReason(event.target.value)}
          />
          {missing ? (
            <span role="alert">
              <Bad>{say(reasonText, lang)}</Bad>
            </span>
          ) : null}
        </label>
      }
      plan={plan.data}
      result={run.data}
      busy={run.isPending}
      danger
      onRun={() => {
        setTried(true)
        if (reason.trim() !== '') run.mutate({ ids: [...ids], reason })
      }}
      onClose={onClose}
    />
  )
}
