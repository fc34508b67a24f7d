import { Flex, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { say } from '../../../../shared/text.ts'
import { BatchDialog, useBatch } from '../../../../web/BatchDialog.tsx'
import { usePrefs } from '../../../../web/prefs.ts'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Bad, Lead } from '../../../../web/ui/Text.tsx'
import { DeviceTagSelect } from '../../../device-tags/web/pickers.tsx'
import { DeviceSelect } from '../../../machines/web/pickers.tsx'
import { type DeviceRow, devices } from '../../contract.ts'
import { reasonText } from '../../lifecycleContract.ts'

/** Deeds for the chosen machines that ask for more than a yes. */
type Chosen = { ids: number[]; onClose: () => void; onDone: () => void }

export function PauseBatch({ ids, ...ends }: Chosen) {
  const { t } = useTranslation('devices')
  const { lang } = usePrefs()
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const missing = tried && reason.trim() === ''
  const batch = useBatch({
    preview: devices.previewPauses,
    asked: { ids },
    save: devices.pauseMany,
    input: { ids, reason },
    ...ends,
  })
  return (
    <BatchDialog
      {...batch}
      title={t('batch.pause')}
      danger
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
      onRun={() => {
        setTried(true)
        if (reason.trim() !== '') batch.onRun()
      }}
    />
  )
}

/** Tags onto the chosen machines and off them; `rows`: those of them that are shown. */
export function TagBatch({ ids, rows, ...ends }: Chosen & { rows: readonly DeviceRow[] }) {
  const { t } = useTranslation('devices')
  const [tags, setTags] = useState<{ on: number[]; off: number[] }>({ on: [], off: [] })
  const input = { ids, ...tags }
  const batch = useBatch({
    preview: devices.previewTags,
    asked: input,
    enabled: tags.on.length + tags.off.length > 0,
    save: devices.tagMany,
    input,
    ...ends,
  })
  const [orgId, other] = new Set(rows.map((row) => row.orgId))
  const only = rows.length === ids.length && other === undefined ? orgId : undefined
  const field = (key: 'on' | 'off', opposite: 'on' | 'off') => (
    // biome-ignore lint/a11y/noLabelWithoutControl: the picker brings its control
    <label>
      {t(`tags.${key}`)}
      <DeviceTagSelect
        orgId={only}
        label={t(`tags.${key}`)}
        placeholder={t('tags.none')}
        value={tags[key]}
        onChange={(chosen) =>
          setTags({
            ...tags,
            [key]: chosen,
            [opposite]: tags[opposite].filter((id) => !chosen.includes(id)),
          })
        }
      />
    </label>
  )
  return (
    <BatchDialog
      {...batch}
      title={t('batch.tags')}
      ask={
        <Flex vertical gap={12} component="span">
          {field('on', 'off')}
          {field('off', 'on')}
        </Flex>
      }
    />
  )
}

/**
 * Chooses whose lanes the selected machines get; the lanes page of that machine shows the dry run.
 */
export function CopyToDialog({ ids, onClose }: Chosen) {
  const { t } = useTranslation(['devices', 'web'])
  const navigate = useNavigate()
  const [source, setSource] = useState<number>()
  const active = useActiveTab()
  if (!active) return null
  const targets = ids.filter((id) => id !== source)
  return (
    <Modal
      open
      width={416}
      title={t('batch.copy')}
      onCancel={onClose}
      okText={t('batch.copyNext')}
      cancelText={t('web:action.cancel')}
      okButtonProps={{ disabled: source === undefined || targets.length === 0 }}
      onOk={() => {
        onClose()
        navigate(
          `/device/device-list/cargo-road/${source}?copyTo=${targets.slice(0, 200).join(',')}`,
        )
      }}
    >
      <Lead>{t('batch.copyAsk', { n: targets.length })}</Lead>
      <DeviceSelect value={source} onChange={setSource} />
    </Modal>
  )
}
