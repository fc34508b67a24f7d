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
import { Muted } from '../../../../web/ui/Text.tsx'
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
  /** Of whoever may edit. */
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  /** Back means the last save. */
  wholeSave: boolean
  copy: () => void
  paste: (() => void) | undefined
  /** A verb here made this version. */
  onSaved: (version: number) => void
  onPrint: () => void
}
/** A verb on the selection; `why`: it is impossible now. */
type Verb = {
  key: string
  icon?: ReactNode
  on?: boolean
  why?: string | undefined
  keys?: string
  run: (() => unknown) | undefined
}

/**
 * Verbs on the selection; what is impossible now says why. Verbs that save by themselves wait for
 * what is unsaved.
 */
export function LaneTools({ plan, roads, chosen, dirty, onSaved, onPrint, ...edits }: Props) {
  const { t } = useTranslation('lanes')
  const { lang } = usePrefs()
  const may = useMay()
  const [open, setOpen] = useState<string | null>(null)
  const onClose = () => setOpen(null)
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
  const { can, device } = plan
  const base = { deviceId: device.id, version: plan.version }
  const laneIds = chosen.map((road) => road.id)
  const single = chosen.length === 1 ? chosen[0] : undefined
  const faulty = chosen.filter((road) => road.status === 'FAULT')
  const [main, ...others] = [...chosen].sort((a, b) => a.roadIndex - b.roadIndex)
  const wrong = main && mergeRule(toLane(main), others.map(toLane), roads.map(toLane))
  const join = () => {
    const secondaryIds = others.map((road) => road.id)
    if (main) void merge({ lanes: [main, ...others] }, { ...base, mainId: main.id, secondaryIds })
  }
  const unsaved = dirty ? t('saveFirst') : undefined
  const none = chosen.length === 0 ? t('needLanes') : undefined
  const unless = (fits: unknown, why: string) => none ?? (fits ? undefined : t(why))
  const own: Verb[] = [
    {
      key: 'merge',
      icon: <MergeCellsOutlined />,
      on: can.merge,
      why: unsaved ?? none ?? (wrong ? say(wrong.text, lang) : undefined),
      run: join,
    },
    {
      key: 'split',
      icon: <SplitCellsOutlined />,
      on: can.merge,
      why: unsaved ?? (single?.merged.length ? undefined : t('needMain')),
      run: () => setOpen('split'),
    },
    {
      key: 'prices.title',
      icon: <TagOutlined />,
      on: can.price,
      why: unsaved ?? none,
      run: () => setOpen('prices'),
    },
  ]
  const more: Verb[] = [
    { key: 'copySettings', on: can.update, why: none, run: edits.copy, keys: 'Ctrl C' },
    {
      key: 'pasteSettings',
      on: can.update,
      why: unless(edits.paste, 'needClip'),
      run: edits.paste,
      keys: 'Ctrl V',
    },
    {
      key: 'testVend',
      on: may('device:test'),
      why: unsaved ?? unless(single?.productId, 'needProduct'),
      run: () => setOpen('test'),
    },
    {
      key: 'clearFault',
      on: can.clearFault,
      why: unless(faulty.length, 'needFault'),
      run: () => faulty.map(({ id }) => clear.mutate({ deviceId: device.id, laneId: id })),
    },
    {
      key: 'lock',
      on: can.lock,
      why: unsaved ?? unless(!chosen.some(({ status }) => status === 'LOCKED'), 'needUnlocked'),
      run: () => setOpen('lock'),
    },
    {
      key: 'unlock',
      on: can.lock,
      why: unsaved ?? unless(chosen.every(isHandLock), 'needLocked'),
      run: () => unlock.mutate({ ...base, laneIds }),
    },
    { key: 'print', run: onPrint },
    { key: 'rebuild', on: can.rebuild, why: unsaved, run: () => setOpen('levels') },
  ]
  return (
    <span className={styles.tools}>
      {can.update ? (
        <>
          <Tool
            bare
            icon={<UndoOutlined />}
            label={t(edits.wholeSave ? 'undo' : 'undoStep')}
            run={edits.undo}
          />
          <Tool bare icon={<RedoOutlined />} label={t('redoStep')} run={edits.redo} />
        </>
      ) : null}
      {own.map((verb) => (verb.on ? <Tool {...verb} key={verb.key} label={t(verb.key)} /> : null))}
      <Dropdown
        trigger={['click']}
        menu={{
          items: more
            .filter(({ on = true }) => on)
            .map(({ key, why, keys }) => ({
              key,
              disabled: why !== undefined,
              danger: key === 'rebuild',
              label: (
                <Tooltip title={why} placement="left">
                  <span>{t(key)}</span>
                </Tooltip>
              ),
              ...(keys ? { extra: <Muted small>{keys}</Muted> } : {}),
            })),
          onClick: ({ key }) => void more.find((verb) => verb.key === key)?.run?.(),
        }}
      >
        <Button type="text">
          {t('web:action.more')} <DownOutlined />
        </Button>
      </Dropdown>
      {open === 'levels' ? <LevelsDialog plan={plan} onClose={onClose} /> : null}
      {open === 'prices' ? (
        <PriceDialog plan={plan} laneIds={laneIds} onSaved={onSaved} onClose={onClose} />
      ) : null}
      {open === 'test' ? (
        <TestVendDialog
          id={device.id}
          rtuNumber={device.rtuNumber}
          online={device.status === 'online'}
          {...(single ? { laneId: single.id } : {})}
          onClose={onClose}
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
          onClose={onClose}
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
          onClose={onClose}
        >
          <NumberField name="roadCapacity" hint={t('splitHint')} />
        </FormDialog>
      ) : null}
    </span>
  )
}

/** `bare`: its name shows under the mouse. */
function Tool({ icon, label, why, run, bare }: Omit<Verb, 'key'> & { label: string; bare?: true }) {
  const disabled = why !== undefined || run === undefined
  return (
    <Tooltip title={bare ? label : why}>
      <span>
        <Button
          type="text"
          icon={icon}
          aria-label={label}
          disabled={disabled}
          onClick={() => void run?.()}
        >
          {bare ? null : label}
        </Button>
      </span>
    </Tooltip>
  )
}
