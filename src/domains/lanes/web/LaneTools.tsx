import MergeCellsOutlined from '@ant-design/icons/es/icons/MergeCellsOutlined'
import SplitCellsOutlined from '@ant-design/icons/es/icons/SplitCellsOutlined'
import ToolOutlined from '@ant-design/icons/es/icons/ToolOutlined'
import { Button, Tooltip } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { say } from '../../../shared/text.ts'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { NumberField } from '../../../web/form/fields.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { lanes, type Planogram } from '../contract.ts'
import { mergeRule } from '../rules.ts'
import { LevelsDialog } from './LevelsDialog.tsx'
import styles from './lanes.module.css'
import { roadText, type ShownRoad, toLane } from './shown.ts'

/** Verbs on the selection; what is impossible now says why. */
export function LaneTools({ plan, roads, chosen }: { plan: Planogram; roads: readonly ShownRoad[]; chosen: readonly ShownRoad[] }) {
  const { t } = useTranslation('lanes')
  const { lang } = usePrefs()
  const confirm = useConfirm()
  const merge = useWrite(lanes.merge, { success: 'lanes:success.merge' })
  const clear = useWrite(lanes.clearFault, { success: 'lanes:success.clearFault' })
  const [open, setOpen] = useState<'split' | 'levels' | null>(null)
  const base = { deviceId: plan.device.id, version: plan.version }
  const [main, ...others] = [...chosen].sort((a, b) => a.roadIndex - b.roadIndex)
  const wrong = main && mergeRule(toLane(main), others.map(toLane), roads.map(toLane))
  const cannotMerge = !main ? t('needNeighbours') : wrong ? say(wrong.text, lang) : undefined
  const single = chosen.length === 1 ? chosen[0] : undefined
  const join = async () => {
    if (main && (await confirm({ title: t('mergeAsk', { roads: [main, ...others].map(roadText).join(' + ') }), content: t('mergeHint') })))
      merge.mutate({ ...base, mainId: main.id, secondaryIds: others.map((road) => road.id) })
  }
  return (
    <span className={styles.tools}>
      {plan.can.merge ? <Tool icon={<MergeCellsOutlined />} label={t('merge')} why={cannotMerge} onClick={() => void join()} /> : null}
      {plan.can.merge ? (
        <Tool icon={<SplitCellsOutlined />} label={t('split')} why={single?.merged.length ? undefined : t('needMain')} onClick={() => setOpen('split')} />
      ) : null}
      {plan.can.clearFault ? (
        <Tool
          icon={<ToolOutlined />}
          label={t('clearFault')}
          why={single?.status === 'FAULT' ? undefined : t('needFault')}
          onClick={() => single && clear.mutate({ deviceId: plan.device.id, laneId: single.id })}
        />
      ) : null}
      {plan.can.rebuild ? (
        <Button type="text" danger onClick={() => setOpen('levels')}>
          {t('rebuild')}
        </Button>
      ) : null}
      {open === 'levels' ? <LevelsDialog plan={plan} onClose={() => setOpen(null)} /> : null}
      {open === 'split' && single ? (
        <FormDialog
          title={t('splitAsk', { road: roadText(single) })}
          ns="lanes"
          save={lanes.split}
          initial={{ ...base, mainId: single.id, roadCapacity: single.roadCapacity }}
          success="lanes:success.split"
          okText={t('split')}
          onClose={() => setOpen(null)}
        >
          <NumberField name="roadCapacity" hint={t('splitHint')} />
        </FormDialog>
      ) : null}
    </span>
  )
}

function Tool({ icon, label, why, onClick }: { icon: ReactNode; label: string; why: string | undefined; onClick: () => void }) {
  return (
    <Tooltip title={why}>
      <span>
        <Button type="text" icon={icon} disabled={why !== undefined} onClick={onClick}>
          {label}
        </Button>
      </span>
    </Tooltip>
  )
}
