import { Checkbox, Form } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { BatchDialog } from '../../../web/BatchDialog.tsx'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Note } from '../../../web/form/fields.tsx'
import { useLive } from '../../../web/live.ts'
import { useMay } from '../../../web/session.ts'
import { type BatchResult, type ConfigPatch, deviceSettings } from '../contract.ts'
import { limitFields } from '../rules.ts'
import { SettingField, type SettingName, settingNames } from './SettingFields.tsx'
import { SyncTag } from './SyncTag.tsx'
import styles from './settings.module.css'

type Props = { ids: readonly number[]; onClose: () => void; onDone: () => void }

/** Ticked settings for several machines: form, dry run, then each machine until it has them. */
export function SettingsBatch({ ids, onClose, onDone }: Props) {
  const { t } = useTranslation('deviceSettings')
  const [ticked, setTicked] = useState<readonly SettingName[]>([])
  const [plan, setPlan] = useState<BatchResult>()
  const patch = useRef<ConfigPatch>({})
  const checked = useRef(false)
  const confirm = useConfirm()
  const save = useWrite(deviceSettings.saveBatch, {
    success: 'deviceSettings:success.saveBatch',
    invalidates: ['/api/devices', '/api/device-configs'],
    onSuccess: onDone,
  })
  const states = useStates(ids, save.data !== undefined)
  if (plan)
    return (
      <BatchDialog
        title={t('batchTitle')}
        ask={t('onlyTicked')}
        plan={plan}
        result={save.data}
        busy={save.isPending}
        onRun={() => save.mutate({ ids: [...ids], config: patch.current })}
        onClose={onClose}
        mark={(row) => {
          const sync = states.get(row.id)
          return save.data ? (
            sync ? (
              <SyncTag sync={sync} />
            ) : null
          ) : row.changed ? null : (
            <small className="hd-none">{t('unchanged')}</small>
          )
        }}
      />
    )
  const toInput = (values: Record<string, unknown>) => {
    const config = (values.config ?? {}) as Record<string, unknown>
    return {
      ids,
      config: Object.fromEntries(
        ticked.map((name) => [name, config[name] ?? (name === 'lighting' ? [] : null)]),
      ),
    }
  }
  return (
    <FormDialog
      title={`${t('batchTitle')} · ${t('machines', { n: ids.length })}`}
      width={640}
      okText={t('check')}
      ns="deviceSettings"
      save={deviceSettings.previewBatch}
      initial={{ config: { defog: false, dropSensor: true, autoRefund: true } }}
      toInput={toInput}
      before={async (values) => {
        patch.current = toInput(values).config as ConfigPatch
        return (
          patch.current.dropSensor !== false ||
          (await confirm({ title: t('sensorOffAsk'), ok: t('check'), danger: true }))
        )
      }}
      success=""
      onSaved={(answer) => {
        checked.current = true
        setPlan(answer)
      }}
      // a form dialog closes once it has saved; here the dry run follows
      onClose={() => (checked.current ? undefined : onClose())}
    >
      <Ticks ticked={ticked} onTick={setTicked} />
    </FormDialog>
  )
}

function Ticks({
  ticked,
  onTick,
}: {
  ticked: readonly SettingName[]
  onTick: (names: readonly SettingName[]) => void
}) {
  const { t } = useTranslation('deviceSettings')
  const limits = useMay()('device:limit')
  const names = settingNames.filter(
    (name) => limits || !limitFields.some((limit) => limit === name),
  )
  return (
    <>
      <Note>{t('onlyTicked')}</Note>
      <div className={styles.ticks}>
        {names.map((name) => (
          <div key={name} className={styles.tick} data-wide={name === 'lighting'}>
            <Checkbox
              aria-label={t(`fields.${name}`)}
              checked={ticked.includes(name)}
              onChange={(event) =>
                onTick(
                  event.target.checked
                    ? [...ticked, name]
                    : ticked.filter((other) => other !== name),
                )
              }
            />
            <SettingField name={name} at="config." disabled={!ticked.includes(name)} />
          </div>
        ))}
      </div>
      <Form.Item className={styles.wide ?? ''} name="config">
        <Nothing />
      </Form.Item>
    </>
  )
}
/** Where "tick at least one" is shown. */
const Nothing = () => null

/** The settings' state of each machine, read again whenever one of them moves. */
function useStates(ids: readonly number[], on: boolean) {
  const read = useRead(
    deviceSettings.syncs,
    { ids: [...ids], pageSize: 200 },
    { enabled: on, keep: true, inline: true, every: on ? 5000 : false },
  )
  useLive('shadows', [deviceSettings.syncs.path])
  return new Map((read.data?.list ?? []).map((row) => [row.id, row.config]))
}
