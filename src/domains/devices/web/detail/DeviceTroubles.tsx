import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCols } from '../../../../web/columns.tsx'
import { registerLocale } from '../../../../web/i18n.ts'
import { useMay } from '../../../../web/session.ts'
import { Part } from '../../../../web/ui/Sheet.tsx'
import { AlertRow, alerts } from '../../../alerts/contract.ts'
import { locale as alertTexts } from '../../../alerts/locale.ts'
import { DeviceFaults } from './DeviceFaults.tsx'
import { TabTable } from './TabTable.tsx'

registerLocale('alerts', alertTexts)

/** What is wrong with the machine by its own words, and what people were told of. */
export function DeviceTroubles({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('devices')
  const may = useMay()
  return (
    <>
      {may('fault:read') ? (
        <Part title={t('faultTab.faults')}>
          <DeviceFaults deviceId={deviceId} />
        </Part>
      ) : null}
      {may('alarm:read') ? <DeviceAlerts deviceId={deviceId} /> : null}
    </>
  )
}

function DeviceAlerts({ deviceId }: { deviceId: number }) {
  const { t } = useTranslation('devices')
  const col = useCols(AlertRow, 'alerts')
  const all = `/device/alerts?state=all&deviceId=${deviceId}`
  const one = (row: AlertRow) => `${all}&detail=${row.id}`
  return (
    <Part title={t('faultTab.alerts')} end={<Link to={all}>{t('faultTab.allAlerts')}</Link>}>
      <TabTable
        endpoint={alerts.list}
        query={{ deviceId, state: 'all', pageSize: 20 }}
        rowKey="id"
        empty={t('faultTab.noAlerts')}
        live="alerts"
        columns={[
          col('level'),
          col('content', { link: one }),
          col('state'),
          col('openTime'),
          col('times'),
          col('handler'),
          {
            key: 'handle',
            title: '',
            width: 104,
            render: (_: unknown, row: AlertRow) =>
              row.can.acknowledge || row.can.close ? (
                <Link to={one(row)}>{t('faultTab.toAlert')}</Link>
              ) : null,
          },
        ]}
      />
    </Part>
  )
}
