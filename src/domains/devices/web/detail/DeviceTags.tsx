import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../../web/api.ts'
import { useMay } from '../../../../web/session.ts'
import { toast } from '../../../../web/toast.ts'
import { DeviceTagChips, DeviceTagSelect } from '../../../device-tags/web/pickers.tsx'
import { type DeviceDetail, devices } from '../../contract.ts'

/** What the machine carries; who may change it puts on and takes off here. */
export function DeviceTags({ device: { id, orgId, tags, can } }: { device: DeviceDetail }) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const save = useWrite(devices.tagMany, {
    onSuccess: ({ results: [result] }) => {
      if (result && !result.ok) toast('error', result.reason)
    },
  })
  if (!can.update || !may('device-tag:read')) return <DeviceTagChips tags={tags} />
  const held = tags.map((tag) => tag.id)
  const change = (ids: number[]) =>
    save.mutate({
      ids: [id],
      on: ids.filter((tag) => !held.includes(tag)),
      off: held.filter((tag) => !ids.includes(tag)),
    })
  return (
    <DeviceTagSelect
      orgId={orgId}
      value={held}
      label={t('fields.tags')}
      placeholder={t('tags.none')}
      disabled={save.isPending}
      onChange={change}
    />
  )
}
