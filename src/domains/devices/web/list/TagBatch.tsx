import { Flex } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../../web/api.ts'
import { BatchDialog } from '../../../../web/BatchDialog.tsx'
import type { Selection } from '../../../../web/list/types.ts'
import { DeviceTagSelect } from '../../../device-tags/web/pickers.tsx'
import { type DeviceRow, devices } from '../../contract.ts'

type Props = { selection: Selection<DeviceRow>; onClose: () => void }
const nobody = { done: 0, skipped: 0, results: [] }

/** Tags onto the chosen machines and off them. */
export function TagBatch({ selection: { keys, rows, clear }, onClose }: Props) {
  const { t } = useTranslation('devices')
  const [on, setOn] = useState<number[]>([])
  const [off, setOff] = useState<number[]>([])
  const input = { ids: keys.map(Number), on, off }
  const chosen = on.length + off.length > 0
  const plan = useRead(devices.previewTags, input, { staleTime: 0, enabled: chosen, keep: true })
  const run = useWrite(devices.tagMany, { success: 'devices:success.tagMany', onSuccess: clear })
  useEffect(() => {
    if (plan.isError) onClose()
  }, [plan.isError, onClose])
  const [orgId, other] = new Set(rows.map((row) => row.orgId))
  const only = rows.length === keys.length && other === undefined ? orgId : undefined
  const field = (key: 'on' | 'off', value: number[], onChange: (ids: number[]) => void) => (
    // biome-ignore lint/a11y/noLabelWithoutControl: the picker brings its control
    <label>
      {t(`tags.${key}`)}
      <DeviceTagSelect
        orgId={only}
        label={t(`tags.${key}`)}
        placeholder={t('tags.none')}
        value={value}
        onChange={onChange}
      />
    </label>
  )
  return (
    <BatchDialog
      title={t('batch.tags')}
      ask={
        <Flex vertical gap={12} component="span">
          {field('on', on, (ids) => {
            setOn(ids)
            setOff(off.filter((id) => !ids.includes(id)))
          })}
          {field('off', off, (ids) => {
            setOff(ids)
            setOn(on.filter((id) => !ids.includes(id)))
          })}
        </Flex>
      }
      plan={chosen ? plan.data : nobody}
      result={run.data}
      busy={run.isPending}
      onRun={() => run.mutate(input)}
      onClose={onClose}
    />
  )
}
