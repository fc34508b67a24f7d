import { Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import {
  Field,
  Note,
  NumberField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../../web/form/fields.tsx'
import type { Values } from '../../../web/form/values.ts'
import { Part } from '../../../web/ui/Sheet.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DevicesSelect } from '../../machines/web/pickers.tsx'
import { type Code, ofKind, type VersionRow } from '../contract.ts'
import { presets, usualStage } from '../rollout.ts'
import type { RolloutRow } from '../rolloutContract.ts'

export type Asking = 'reject' | 'pause' | 'resume' | 'abort' | 'revert'
type Props = { code: Code; what: Asking; row: RolloutRow; onClose: () => void }
const words = {
  reject: 'reject',
  pause: 'pauseAct',
  resume: 'resume',
  abort: 'abortAct',
  revert: 'revert',
} as const

/** Acts that want to be told why. */
export function ReasonDialog({ code, what, row, onClose }: Props) {
  const { t } = useTranslation('releases')
  return (
    <FormDialog
      ns="releases"
      title={`${t(words[what])} · ${row.name}`}
      okText={t(words[what])}
      danger={what === 'abort' || what === 'reject'}
      save={ofKind[code][what]}
      initial={{ id: row.id, version: row.version }}
      success="web:success.done"
      onClose={onClose}
    >
      {what === 'abort' ? <Note type="warning">{t('abortHint', { n: row.pending })}</Note> : null}
      {what === 'revert' ? <Note>{t('revertHint')}</Note> : null}
      <TextAreaField name="reason" />
    </FormDialog>
  )
}

type Preset = 'all' | 'steps' | 'canary' | 'first'
const shares: Record<Preset, readonly number[]> = { ...presets, first: [1, 100] }
/** What stands in the form as the endpoint takes it. */
export function planOf(values: Values): Values {
  const { preset, successPct, errorPct, errorCount, after, text, ...rest } = values as Values & {
    preset: Preset
    text?: string
  }
  const numbers = [...new Set((text ?? '').split(/[\s,;，；]+/).filter(Boolean))]
  const stages = shares[preset].map((percent) => ({
    ...usualStage,
    ...{ percent, successPct, errorPct, errorCount, after },
  }))
  return { ...rest, numbers, stages, canaryIds: preset === 'first' ? (rest.canaryIds ?? []) : [] }
}

/** Machines, stages and windows of a roll-out; what would happen is asked before. */
export function RolloutDialog({
  code,
  row,
  onClose,
}: {
  code: Code
  row: VersionRow
  onClose: () => void
}) {
  const { t } = useTranslation('releases')
  const preset = (key: Preset, word: string) => ({ value: key, label: t(word) })
  return (
    <FormDialog
      ns="releases"
      title={t('rolloutTitle', { name: `${row.name} ${row.versionName}` })}
      okText={t('rollout')}
      save={ofKind[code].createRollout}
      toInput={planOf}
      initial={{
        ...{ versionId: row.id, name: `${row.name} ${row.versionName}`, deviceIds: [], text: '' },
        ...{ preset: 'steps', successPct: 95, errorPct: 10, errorCount: 3, after: 'AUTO' },
        ...{ atOnce: false, quietFrom: '02:00', quietTo: '05:00', randomDelayMin: 30 },
        ...{ bandwidth: 0, guard: true, guardHours: 24, guardDrop: 10, retries: 1, days: 7 },
        ...{ downgrade: false, canaryIds: [] },
      }}
      success="web:success.done"
      width={760}
      onClose={onClose}
    >
      <TextField name="name" wide label={t('fields.name_')} />
      <Note>{t('whichHint')}</Note>
      <Field name="deviceIds" wide>
        <DevicesSelect />
      </Field>
      <TextAreaField
        name="text"
        label={t('fields.numbers')}
        rows={2}
        placeholder={t('numbersHint')}
      />
      <Field name="orgId">
        <OwnerSelect />
      </Field>
      <SelectField
        name="preset"
        label={t('fields.preset')}
        options={[
          preset('all', 'presetAll'),
          preset('steps', 'presetSteps'),
          preset('canary', 'presetCanary'),
          preset('first', 'presetFirst'),
        ]}
      />
      <First />
      <NumberField name="successPct" label={t('fields.successPct')} />
      <NumberField name="errorPct" label={t('fields.errorPct')} />
      <NumberField name="errorCount" label={t('fields.errorCount')} />
      <SelectField
        name="after"
        label={t('fields.after')}
        options={(['AUTO', 'PAUSE'] as const).map((value) => ({
          value,
          label: t(`enums.after.${value}`),
        }))}
      />
      <SwitchField name="atOnce" />
      <TextField name="quietFrom" />
      <TextField name="quietTo" />
      <NumberField name="randomDelayMin" />
      <NumberField name="bandwidth" />
      <SwitchField name="guard" />
      <NumberField name="guardDrop" />
      <NumberField name="guardHours" />
      <NumberField name="retries" />
      <NumberField name="days" />
      {row.downgrade ? <SwitchField name="downgrade" /> : null}
      <Check code={code} />
    </FormDialog>
  )
}

/** Those that begin, where somebody names them. */
function First() {
  const { t } = useTranslation('releases')
  return Form.useWatch('preset') === 'first' ? (
    <Field name="canaryIds" wide label={t('fields.canaryIds')}>
      <DevicesSelect />
    </Field>
  ) : null
}

/** Which machines would take it, and in which stage. */
function Check({ code }: { code: Code }) {
  const { t } = useTranslation('releases')
  const form = Form.useFormInstance()
  const atOnce = Form.useWatch('atOnce')
  const { mutate, isPending } = useWrite(ofKind[code].preview, { onSuccess: setAnswer })
  const [answer, set] = useState<Parameters<typeof setAnswer>[0] | null>(null)
  function setAnswer(found: {
    fits: number
    stages: number[]
    size: number
    approval: boolean
    unfitTotal: number
    unfit: { id: number; rtuNumber: string; nickname: string; reason: string }[]
  }) {
    set(found)
  }
  const ask = () => {
    const { versionId, deviceIds, numbers, orgId, stages, canaryIds, downgrade } = planOf(
      form.getFieldsValue(true) as Values,
    ) as never
    mutate({ versionId, deviceIds, numbers, orgId, stages, canaryIds, downgrade })
  }
  return (
    <div style={{ gridColumn: '1 / -1' }}>
      {atOnce ? <Note type="warning">{t('stop')}</Note> : null}
      <Button loading={isPending} onClick={ask}>
        {t('check')}
      </Button>
      {answer ? (
        <Part
          title={t('fits', {
            fits: answer.fits,
            stages: answer.stages.join(' + '),
            kb: Math.ceil(answer.size / 1000),
          })}
          end={answer.approval ? t('approvalNeeded') : null}
        >
          {answer.unfitTotal ? (
            <>
              <p>{t('unfitOf', { total: answer.unfitTotal })}</p>
              <ul>
                {answer.unfit.slice(0, 20).map((one) => (
                  <li key={one.id}>
                    {one.rtuNumber} {one.nickname} · {t(`enums.unfit.${one.reason}`)}
                  </li>
                ))}
              </ul>
            </>
          ) : null}
        </Part>
      ) : null}
    </div>
  )
}
