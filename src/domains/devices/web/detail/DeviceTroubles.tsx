import { Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCols } from '../../../../web/columns.tsx'
import { registerLocale } from '../../../../web/i18n.ts'
import { useMay } from '../../../../web/session.ts'
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
        <section aria-label={t('faultTab.faults')}>
          <h3>{t('faultTab.faults')}</h3>
          <DeviceFaults deviceId={deviceId} />
        </section>
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
    <section aria-label={t('faultTab.alerts')}>
      <Flex align="baseline" justify="space-between">
        <h3>{t('faultTab.alerts')}</h3>
        <Link to={all}>{t('faultTab.allAlerts')}</Link>
      </Flex>
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
    </section>
  )
}
