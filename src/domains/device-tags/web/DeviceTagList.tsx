import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useUser } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceTagRow, deviceTags } from '../contract.ts'
import { DeviceTagChips } from './pickers.tsx'

const DeviceTagFields = lazyDialog(() =>
  import('./DeviceTagFields.tsx').then((m) => m.DeviceTagFields),
)

export function DeviceTagList() {
  const col = useCols(DeviceTagRow, 'deviceTags')
  const { orgId } = useUser()
  return (
    <ListPage
      ns="deviceTags"
      endpoint={deviceTags.list}
      live="device-tags"
      records={{ ...deviceTags, fields: DeviceTagFields, blank: { orgId, tone: 'BLUE' } }}
      filters={['keyword', { key: 'orgId', picker: OwnerSelect }, 'tone']}
      columns={[
        col('name', { render: (_, row) => <DeviceTagChips tags={[row]} /> }),
        col('orgName'),
        col('deviceCount', { link: ({ id }) => `/device/device-list?tagIds=${id}` }),
        col('createTime'),
      ]}
      card={['orgName', 'deviceCount']}
    />
  )
}
