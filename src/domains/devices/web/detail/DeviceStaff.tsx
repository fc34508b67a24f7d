import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { Rows } from '../../../../web/Detail.tsx'
import { useMay } from '../../../../web/session.ts'
import { fullTime } from '../../../../web/time.ts'
import { distribution } from '../../../distribution/contract.ts'
import type { TabProps } from './DeviceDrawer.tsx'

/** Whose the machine is and who serves it; who distributes machines also sees since when. */
export function DeviceStaff({ device }: TabProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const read = useRead(
    distribution.get,
    { id: device.id },
    { enabled: may('device:assign'), inline: true },
  )
  const day = (at: string) => fullTime(new Date(at)).slice(0, 10)
  const names = (kind: string, plain: readonly string[]) =>
    read.data
      ? read.data.staff
          .filter((person) => person.kind === kind)
          .map((person) => `${person.name} (${t('staff.since', { day: day(person.since) })})`)
          .join(', ')
      : plain.join(', ')
  return (
    <>
      <Rows
        items={[
          [t('fields.ownedUserName'), device.ownedUserName],
          [t('fields.storeName'), device.storeName],
          [t('fields.replenishers'), names('REPLENISHER', device.replenishers)],
          [t('fields.repairers'), names('REPAIRER', device.repairers)],
        ]}
      />
      {read.data && read.data.owners.length > 0 ? (
        <Rows
          title={t('staff.owners')}
          items={read.data.owners.map(
            (owner) =>
              [
                owner.orgName,
                `${day(owner.from)} – ${owner.to ? day(owner.to) : t('staff.now')} ${owner.by}`,
              ] as const,
          )}
        />
      ) : null}
    </>
  )
}
