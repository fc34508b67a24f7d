import { useParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { useTabTitle } from '../../../web/shell/tabs.ts'
import { CardHead } from '../../../web/ui/Card.tsx'
import { PageHead, Sheet } from '../../../web/ui/Sheet.tsx'
import { useScreen } from '../../../web/useScreen.ts'
import { distribution } from '../contract.ts'
import { OwnerPart } from './OwnerPart.tsx'
import { StaffPart } from './StaffPart.tsx'
import { StorePart } from './StorePart.tsx'

/** One machine: whose it is, who serves it, where it stands. Each part is saved by itself. */
export function DeviceDistribution() {
  const { title } = useScreen()
  const id = Number(useParams().id ?? 0)
  const read = useRead(distribution.get, { id }, { inline: true })
  useLive('devices', [distribution.get.path])
  const device = read.data
  useTabTitle(device?.rtuNumber)
  return (
    <Sheet label={title}>
      <PageHead title={title} />
      {device ? (
        <CardHead
          title={`${device.rtuNumber} ${device.nickname}`}
          lines={[device.typeName, `${device.regionName} ${device.address}`]}
        />
      ) : null}
      {device ? (
        <>
          <OwnerPart device={device} />
          <StaffPart device={device} />
          <StorePart key={device.storeId ?? 0} device={device} />
        </>
      ) : (
        <Unread read={read} rows={8} />
      )}
    </Sheet>
  )
}
