import { Button, Checkbox, Flex, Radio, Steps } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../../web/api.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import { Unread } from '../../../../web/Problem.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { shortTime } from '../../../../web/time.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Bad, Muted } from '../../../../web/ui/Text.tsx'
import { lanes, type Planogram } from '../../contract.ts'
import { copyParts, copyTargets } from '../../copyContract.ts'
import { CopyPreviewTable } from './CopyPreviewTable.tsx'
import { CopyProgress } from './CopyProgress.tsx'
import { CopyTargets } from './CopyTargets.tsx'

const layouts = ['SAME', 'CREATE'] as const
type Props = { plan: Planogram; targets: readonly number[]; onClose: () => void }

/**
 * Choose machines and parts, look at what would be written, write, watch it and take it back.
 * Render it only while it is open.
 */
export function CopyDialog({ plan, targets, onClose }: Props) {
  const { t } = useTranslation(['lanes', 'web'])
  const active = useActiveTab()
  const phone = usePhone()
  const confirm = useConfirm()
  const [step, setStep] = useState<'choose' | 'preview' | { copy: number }>('choose')
  const [targetIds, setTargetIds] = useState<number[]>([...targets])
  const [parts, setParts] = useState([...copyParts])
  const [layout, setLayout] = useState<(typeof layouts)[number]>('SAME')
  const [asked, setAsked] = useState(false)
  const deviceId = plan.device.id
  const input = { deviceId, targetIds, parts, layout }
  const preview = useRead(lanes.copyPlan, input, {
    enabled: step === 'preview',
    inline: true,
    staleTime: 0,
  })
  const recent = useRead(lanes.copies, { deviceId }, { enabled: step === 'choose' })
  const copy = useWrite(lanes.copy, { onSuccess: (answer) => setStep({ copy: answer.id }) })
  if (!active) return null
  const { machines = 0, lanes: count = 0 } = preview.data ?? {}
  const problem =
    targetIds.length === 0
      ? t('copy.noTarget')
      : targetIds.length > copyTargets
        ? t('copy.tooMany')
        : parts.length === 0
          ? t('copy.noParts')
          : null
  const next = () => {
    setAsked(true)
    if (!problem) setStep('preview')
  }
  const write = async () => {
    if (await confirm({ title: t('copy.ask', { n: machines, m: count }), ok: t('copy.writeNow') }))
      copy.mutate(input)
  }
  const footer =
    step === 'choose' ? (
      <Button type="primary" onClick={next}>
        {t('copy.preview')}
      </Button>
    ) : step === 'preview' ? (
      <Flex justify="end" gap={8}>
        <Button onClick={() => setStep('choose')}>{t('copy.back')}</Button>
        <Button
          type="primary"
          disabled={machines === 0}
          loading={copy.isPending}
          onClick={() => void write()}
        >
          {t('copy.write', { n: machines })}
        </Button>
      </Flex>
    ) : (
      <Button onClick={onClose}>{t('web:action.close')}</Button>
    )
  return (
    <Modal
      open
      title={t('copy.title')}
      width={880}
      footer={footer}
      onCancel={onClose}
      mask={{ closable: false }}
    >
      {phone ? null : (
        <Steps
          size="small"
          current={step === 'choose' ? 0 : step === 'preview' ? 1 : 2}
          items={[0, 1, 2].map((n) => ({ title: t(`copy.steps.${n}`) }))}
          style={{ marginBottom: 16 }}
        />
      )}
      {step === 'choose' ? (
        <>
          <Flex wrap gap="4px 12px" style={{ marginBottom: 8 }}>
            <Muted>{t('copy.parts')}</Muted>
            <Checkbox.Group
              value={parts}
              onChange={setParts}
              options={copyParts.map((part) => ({ value: part, label: t(`copy.part.${part}`) }))}
            />
          </Flex>
          <Flex wrap gap="4px 12px" style={{ marginBottom: 12 }}>
            <Muted>{t('copy.layout')}</Muted>
            <Radio.Group
              value={layout}
              onChange={(event) => setLayout(event.target.value)}
              options={layouts.map((value) => ({ value, label: t(`copy.layouts.${value}`) }))}
            />
          </Flex>
          <CopyTargets plan={plan} value={targetIds} onChange={setTargetIds} />
          <div style={{ minHeight: 22 }} role={asked && problem ? 'alert' : undefined}>
            <Bad>{asked ? problem : ''}</Bad>
          </div>
          {recent.data?.list.length ? (
            <Muted small>
              {t('copy.recent')}
              {recent.data.list.slice(0, 3).map(({ id, machines: n, createTime }) => (
                <Button key={id} type="link" size="small" onClick={() => setStep({ copy: id })}>
                  {t('copy.recentOne', { n, time: shortTime(new Date(createTime), new Date()) })}
                </Button>
              ))}
            </Muted>
          ) : null}
        </>
      ) : step === 'preview' ? (
        preview.data ? (
          <CopyPreviewTable targets={preview.data.targets} asked={input} />
        ) : (
          <Unread read={preview} />
        )
      ) : (
        <CopyProgress id={step.copy} />
      )}
    </Modal>
  )
}
