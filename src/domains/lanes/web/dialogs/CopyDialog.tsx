import type { UseQueryResult } from '@tanstack/react-query'
import { Button, Checkbox, Flex, Radio, Skeleton, Steps } from 'antd'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Output } from '../../../../shared/contract.ts'
import { useRead, useWrite } from '../../../../web/api.ts'
import type { ApiError } from '../../../../web/call.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import { Problem } from '../../../../web/Problem.tsx'
import { useActiveTab } from '../../../../web/shell/tabs.ts'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { shortTime } from '../../../../web/time.ts'
import { Modal } from '../../../../web/ui/overlay.tsx'
import { Muted } from '../../../../web/ui/Text.tsx'
import { lanes, type Planogram } from '../../contract.ts'
import { copyParts, copyTargets } from '../../copyContract.ts'
import { CopyPreviewTable } from './CopyPreviewTable.tsx'
import { CopyProgress } from './CopyProgress.tsx'
import { CopyTargets } from './CopyTargets.tsx'
import styles from './dialogs.module.css'

type Part = (typeof copyParts)[number]

/**
 * Choose machines and parts, look at what would be written, write, watch it and take it back.
 * Render it only while it is open.
 */
export function CopyDialog({
  plan,
  targets,
  onClose,
}: {
  plan: Planogram
  targets: readonly number[]
  onClose: () => void
}) {
  const { t } = useTranslation(['lanes', 'web'])
  const active = useActiveTab()
  const phone = usePhone()
  const confirm = useConfirm()
  const [step, setStep] = useState<0 | 1 | 2>(0)
  const [targetIds, setTargetIds] = useState<number[]>([...targets])
  const [parts, setParts] = useState<Part[]>([
    'product',
    'price',
    'capacity',
    'warnQty',
    'restriction',
  ])
  const [layout, setLayout] = useState<'SAME' | 'CREATE'>('SAME')
  const [copyId, setCopyId] = useState<number | null>(null)
  const [asked, setAsked] = useState(false)
  const deviceId = plan.device.id
  const input = { deviceId, targetIds, parts, layout }
  const preview = useRead(lanes.copyPlan, input, {
    enabled: step === 1,
    inline: true,
    staleTime: 0,
  })
  const recent = useRead(lanes.copies, { deviceId }, { enabled: step === 0 })
  const copy = useWrite(lanes.copy, {
    onSuccess: (answer) => {
      setCopyId(answer.id)
      setStep(2)
    },
  })
  if (!active) return null
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
    if (!problem) setStep(1)
  }
  const write = async () => {
    const { machines, lanes: count } = preview.data ?? { machines: 0, lanes: 0 }
    if (await confirm({ title: t('copy.ask', { n: machines, m: count }), ok: t('copy.writeNow') }))
      copy.mutate(input)
  }
  const footers = [
    <Button key="next" type="primary" onClick={next}>
      {t('copy.preview')}
    </Button>,
    <Flex key="write" justify="end" gap={8}>
      <Button onClick={() => setStep(0)}>{t('copy.back')}</Button>
      <Button
        type="primary"
        disabled={!preview.data?.machines}
        loading={copy.isPending}
        onClick={() => void write()}
      >
        {t('copy.write', { n: preview.data?.machines ?? 0 })}
      </Button>
    </Flex>,
    <Button key="close" onClick={onClose}>
      {t('web:action.close')}
    </Button>,
  ]
  return (
    <Modal
      open
      title={t('copy.title')}
      width={880}
      footer={footers[step]}
      onCancel={onClose}
      mask={{ closable: false }}
    >
      {phone ? null : (
        <Steps
          size="small"
          current={step}
          items={[0, 1, 2].map((n) => ({ title: t(`copy.steps.${n}`) }))}
          style={{ marginBottom: 16 }}
        />
      )}
      {step === 0 ? (
        <>
          <div className={styles.options}>
            <span>
              <b>{t('copy.parts')}</b>
              <Checkbox.Group
                value={parts}
                onChange={(values) => setParts(values as Part[])}
                options={copyParts.map((part) => ({ value: part, label: t(`copy.part.${part}`) }))}
              />
            </span>
            <span>
              <b>{t('copy.layout')}</b>
              <Radio.Group
                value={layout}
                onChange={(event) => setLayout(event.target.value)}
                options={(['SAME', 'CREATE'] as const).map((value) => ({
                  value,
                  label: t(`copy.layouts.${value}`),
                }))}
              />
            </span>
          </div>
          <CopyTargets plan={plan} value={targetIds} onChange={setTargetIds} />
          <p className={styles.problem} role={asked && problem ? 'alert' : undefined}>
            {asked ? problem : ''}
          </p>
          {recent.data?.list.length ? (
            <Muted small>
              {t('copy.recent')}
              {recent.data.list.slice(0, 3).map((row) => (
                <Button
                  key={row.id}
                  type="link"
                  size="small"
                  onClick={() => {
                    setCopyId(row.id)
                    setStep(2)
                  }}
                >
                  {t('copy.recentOne', {
                    n: row.machines,
                    time: shortTime(new Date(row.createTime), new Date()),
                  })}
                </Button>
              ))}
            </Muted>
          ) : null}
        </>
      ) : null}
      {step === 1 ? <Preview read={preview} asked={{ deviceId, parts, layout }} /> : null}
      {step === 2 && copyId !== null ? <CopyProgress id={copyId} /> : null}
    </Modal>
  )
}

type PreviewProps = {
  read: UseQueryResult<Output<typeof lanes.copyPlan>, ApiError>
  asked: ComponentProps<typeof CopyPreviewTable>['asked']
}
function Preview({ read, asked }: PreviewProps) {
  if (read.data) return <CopyPreviewTable targets={read.data.targets} asked={asked} />
  return read.error ? (
    <Problem error={read.error} onRetry={() => void read.refetch()} />
  ) : (
    <Skeleton active paragraph={{ rows: 6 }} />
  )
}
