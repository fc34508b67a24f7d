import DownOutlined from '@ant-design/icons/es/icons/DownOutlined'
import MergeCellsOutlined from '@ant-design/icons/es/icons/MergeCellsOutlined'
import RedoOutlined from '@ant-design/icons/es/icons/RedoOutlined'
import SplitCellsOutlined from '@ant-design/icons/es/icons/SplitCellsOutlined'
import TagOutlined from '@ant-design/icons/es/icons/TagOutlined'
import UndoOutlined from '@ant-design/icons/es/icons/UndoOutlined'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../../shared/text.ts'
import { useWrite } from '../../../../web/api.ts'
import { FormDialog } from '../../../../web/FormDialog.tsx'
import { NumberField, TextField } from '../../../../web/form/fields.tsx'
import { lazyDialog } from '../../../../web/lazyDialog.tsx'
import { usePrefs } from '../../../../web/prefs.ts'
import { useMay } from '../../../../web/session.ts'
import { Dropdown } from '../../../../web/ui/popup.tsx'
import { Tooltip } from '../../../../web/ui/Tooltip.tsx'
import { useAct } from '../../../../web/useAct.ts'
import { lanes, type Planogram } from '../../contract.ts'
import { isHandLock, mergeRule } from '../../rules.ts'
import styles from '../grid/lanes.module.css'
import { roadText, type ShownRoad, toLane } from '../shown.ts'

const LevelsDialog = lazyDialog(() => import('./LevelsDialog.tsx').then((m) => m.LevelsDialog))
const TestVendDialog = lazyDialog(() =>
  import('../dialogs/TestVendDialog.tsx').then((m) => m.TestVendDialog),
)
const PriceDialog = lazyDialog(() =>
  import('../dialogs/PriceDialog.tsx').then((m) => m.PriceDialog),
)

type Props = {
  plan: Planogram
  roads: readonly ShownRoad[]
  chosen: readonly ShownRoad[]
  dirty: boolean
  /** The way back and forth, for whoever may edit; `whole`: back means the last save. */
  steps: { undo: (() => void) | undefined; redo: (() => void) | undefined; whole: boolean } | null
  clip: { copy: () => void; paste: (() => void) | undefined } | null
  /** A verb here made this version. */
  onSaved: (version: number) => void
  onPrint: () => void
}

/**
 * Verbs on the selection; what is impossible now says why. Verbs that save by themselves wait for
 * what is unsaved.
 */
export function LaneTools({ plan, roads, chosen, dirty, steps, clip, onSaved, onPrint }: Props) {
  const { t } = useTranslation('lanes')
  const { lang } = usePrefs()
  const merge = useAct(lanes.merge, {
    ask: ({ lanes: joined }: { lanes: readonly ShownRoad[] }) =>
      t('mergeAsk', { roads: joined.map(roadText).join(' + ') }),
    name: () => t('mergeHint'),
    ok: t('merge'),
    danger: false,
    success: 'lanes:success.merge',
    onSuccess: (answer) => onSaved(answer.version),
  })
  const clear = useWrite(lanes.clearFault, { success: 'web:success.done' })
  const unlock = useWrite(lanes.unlock, { success: 'lanes:success.unlock' })
  const may = useMay()
  const [open, setOpen] = useState<'split' | 'levels' | 'prices' | 'lock' | 'test' | null>(null)
  const base = { deviceId: plan.device.id, version: plan.version }
  const laneIds = chosen.map((road) => road.id)
  const [main, ...others] = [...chosen].sort((a, b) => a.roadIndex - b.roadIndex)
  const wrong = main && mergeRule(toLane(main), others.map(toLane), roads.map(toLane))
  const unsaved = dirty ? t('saveFirst') : undefined
  const single = chosen.length === 1 ? chosen[0] : undefined
  const none = chosen.length === 0 ? t('needLanes') : undefined
  const join = () => {
    const secondaryIds = others.map((road) => road.id)
    if (main) void merge({ lanes: [main, ...others] }, { ...base, mainId: main.id, secondaryIds })
  }
  const faulty = chosen.filter((road) => road.status === 'FAULT')
  const enabled = chosen.every((road) => road.status !== 'LOCKED')
  const more = [
    { key: 'copySettings', on: clip !== null, why: none, run: clip?.copy, keys: 'Ctrl C' },
    {
      key: 'pasteSettings',
      on: clip !== null,
      why: none ?? (clip?.paste ? undefined : t('needClip')),
      run: clip?.paste,
      keys: 'Ctrl V',
    },
    {
      key: 'testVend',
      on: may('device:test'),
      why: unsaved ?? none ?? (single?.productId == null ? t('needProduct') : undefined),
      run: () => setOpen('test'),
    },
    {
      key: 'clearFault',
      on: plan.can.clearFault,
      why: none ?? (faulty.length > 0 ? undefined : t('needFault')),
      run: () => faulty.map((road) => clear.mutate({ deviceId: plan.device.id, laneId: road.id })),
    },
    {
      key: 'lock',
      on: plan.can.lock,
      why: unsaved ?? none ?? (enabled ? undefined : t('needUnlocked')),
      run: () => setOpen('lock'),
    },
    {
      key: 'unlock',
      on: plan.can.lock,
      why: unsaved ?? none ?? (chosen.every(isHandLock) ? undefined : t('needLocked')),
      run: () => unlock.mutate({ ...base, laneIds }),
    },
    { key: 'print', on: true, why: undefined, run: onPrint },
    {
      key: 'rebuild',
      on: plan.can.rebuild,
      why: unsaved,
      run: () => setOpen('levels'),
      danger: true,
    },
  ].filter((item) => item.on)
  return (
    <span className={styles.tools}>
      {steps ? (
        <>
          <Step
            icon={<UndoOutlined />}
            label={t(steps.whole ? 'undo' : 'undoStep')}
            onClick={steps.undo}
          />
          <Step icon={<RedoOutlined />} label={t('redoStep')} onClick={steps.redo} />
        </>
      ) : null}
      {plan.can.merge ? (
        <Tool
          icon={<MergeCellsOutlined />}
          label={t('merge')}
          why={unsaved ?? (main ? wrong && say(wrong.text, lang) : t('needLanes')) ?? undefined}
          onClick={join}
        />
      ) : null}
      {plan.can.merge ? (
        <Tool
          icon={<SplitCellsOutlined />}
          label={t('split')}
          why={unsaved ?? (single?.merged.length ? undefined : t('needMain'))}
          onClick={() => setOpen('split')}
        />
      ) : null}
      {plan.can.price ? (
        <Tool
          icon={<TagOutlined />}
          label={t('prices.title')}
          why={unsaved ?? none}
          onClick={() => setOpen('prices')}
        />
      ) : null}
      <Dropdown
        trigger={['click']}
        menu={{
          items: more.map(({ key, why, danger, keys }) => ({
            key,
            disabled: why !== undefined,
            danger: danger ?? false,
            label: (
              <Tooltip title={why} placement="left">
                <span>{t(key)}</span>
              </Tooltip>
            ),
            ...(keys ? { extra: <kbd className={styles.kbd}>{keys}</kbd> } : {}),
          })),
          onClick: ({ key }) => void more.find((item) => item.key === key)?.run?.(),
        }}
      >
        <Button type="text">
          {t('web:action.more')} <DownOutlined />
        </Button>
      </Dropdown>
      {open === 'levels' ? <LevelsDialog plan={plan} onClose={() => setOpen(null)} /> : null}
      {open === 'prices' ? (
        <PriceDialog
          plan={plan}
          laneIds={laneIds}
          onSaved={onSaved}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'test' ? (
        <TestVendDialog
          id={plan.device.id}
          rtuNumber={plan.device.rtuNumber}
          online={plan.device.status === 'online'}
          {...(single ? { laneId: single.id } : {})}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === 'lock' ? (
        <FormDialog
          title={t('lockAsk', { n: chosen.length })}
          ns="lanes"
          save={lanes.lock}
          initial={{ ...base, laneIds }}
          success="lanes:success.lock"
          okText={t('lock')}
          onClose={() => setOpen(null)}
        >
          <TextField name="reason" wide />
        </FormDialog>
      ) : null}
      {open === 'split' && single ? (
        <FormDialog
          title={t('splitAsk', { road: roadText(single) })}
          ns="lanes"
          save={lanes.split}
          initial={{ ...base, mainId: single.id, roadCapacity: single.roadCapacity }}
          success="lanes:success.split"
          onSaved={(answer) => onSaved(answer.version)}
          okText={t('split')}
          onClose={() => setOpen(null)}
        >
          <NumberField name="roadCapacity" hint={t('splitHint')} />
        </FormDialog>
      ) : null}
    </span>
  )
}

type ToolProps = { icon: ReactNode; label: string; why: string | undefined; onClick: () => void }

const Tool = ({ icon, label, why, onClick }: ToolProps) => (
  <Tooltip title={why}>
    <span>
      <Button type="text" icon={icon} disabled={why !== undefined} onClick={onClick}>
        {label}
      </Button>
    </span>
  </Tooltip>
)

type StepProps = Pick<ToolProps, 'icon' | 'label'> & { onClick: (() => void) | undefined }

const Step = ({ icon, label, onClick }: StepProps) => (
  <Tooltip title={label}>
    <Button
      type="text"
      icon={icon}
      aria-label={label}
      disabled={onClick === undefined}
      onClick={onClick}
    />
  </Tooltip>
)
