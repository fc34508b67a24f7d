import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../../web/FormDialog.tsx'
import { Note, NumberField, TextField } from '../../../../web/form/fields.tsx'
import { type Level, lanes, type Planogram } from '../../contract.ts'
import styles from '../grid/lanes.module.css'
import { widest } from '../shown.ts'

/** Draws the lanes level by level; for a rebuild the machine number has to be typed. */
export function LevelsDialog({ plan, onClose }: { plan: Planogram; onClose: () => void }) {
  const { t } = useTranslation(['lanes', 'web'])
  const again = plan.floors.length > 0
  const { maxLevels, maxRoads } = plan.device
  const level = (name: string, columns: number): Level => ({ name, columns, roadCapacity: 8 })
  const initial = {
    deviceId: plan.device.id,
    version: plan.version,
    levels: again
      ? plan.floors.map((floor) => level(floor.name, widest({ floors: [floor] })))
      : Array.from({ length: maxLevels }, () => level('', maxRoads)),
  }
  const shared = { ns: 'lanes', width: 640, onClose, initial } as const
  const levels = (
    <>
      <p className={styles.limit}>{t('levels.limit', { levels: maxLevels, roads: maxRoads })}</p>
      <Levels most={maxLevels} />
    </>
  )
  return again ? (
    <FormDialog {...shared} title={t('rebuild')} save={lanes.rebuild} okText={t('rebuild')} danger>
      <Note type="warning">{t('rebuildAsk', { n: plan.totals.stock })}</Note>
      <TextField name="confirmNumber" placeholder={plan.device.rtuNumber} required wide />
      {levels}
    </FormDialog>
  ) : (
    <FormDialog {...shared} title={t('create')} save={lanes.create}>
      {levels}
    </FormDialog>
  )
}

function Levels({ most }: { most: number }) {
  const { t } = useTranslation('lanes')
  const form = Form.useFormInstance()
  const levels = (Form.useWatch('levels', { form, preserve: true }) ?? []) as Level[]
  const set = (next: Level[]) => form.setFieldValue('levels', next)
  return (
    <div className={styles.wide}>
      {levels.map((_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a level is its position
        <div key={i} className={styles.levelRow}>
          <strong>{t('levels.level', { n: i + 1 })}</strong>
          <TextField name={`levels.${i}.name`} label={t('levels.name')} />
          <NumberField name={`levels.${i}.columns`} label={t('levels.columns')} required />
          <NumberField name={`levels.${i}.roadCapacity`} label={t('levels.capacity')} required />
          <Button
            type="text"
            icon={<DeleteOutlined />}
            aria-label={t('levels.remove')}
            disabled={levels.length < 2}
            onClick={() => set(levels.filter((__, other) => other !== i))}
          />
        </div>
      ))}
      {levels.length < most ? (
        <Button
          icon={<PlusOutlined />}
          onClick={() =>
            set([...levels, { columns: 10, roadCapacity: 8, ...levels.at(-1), name: '' }])
          }
        >
          {t('levels.add')}
        </Button>
      ) : null}
    </div>
  )
}
