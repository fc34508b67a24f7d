import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useCols } from '../../../web/columns.tsx'
import { ListPage } from '../../../web/ListPage.tsx'
import type { Filter, View } from '../../../web/list/types.ts'
import { Count, Money } from '../../../web/Money.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { DeviceSelect } from '../../machines/web/pickers.tsx'
import { dataReports } from '../contract.ts'
import { ChannelRow, OfflineRow } from '../drillContract.ts'
import { Forbidden } from './pieces.tsx'

const page = '/offline-equipment'
const places: readonly Filter[] = [
  { key: 'deviceId', picker: DeviceSelect },
  { key: 'orgId', picker: OwnerSelect },
  { key: 'region', picker: (props) => <RegionSelect any {...(props as object)} /> },
]

/** Both readings of its name: what machines sell, and which of them are silent. */
export function OfflineEquipment() {
  const { t } = useTranslation('dataReports')
  const may = useMay()
  const [params] = useSearchParams()
  const [sells, sees] = [may('device-report:read'), may('device:read')]
  if (!sells && !sees) return <Forbidden />
  const offline = sees && (!sells || params.get('tab') === 'offline')
  const tab = (key: 'sales' | 'offline', shown: boolean, path: string): View => ({
    key,
    label: t(`offlineTabs.${key}`),
    ...(shown ? { query: {} } : { path }),
  })
  const views = [
    ...(sells ? [tab('sales', !offline, page)] : []),
    ...(sees ? [tab('offline', offline, `${page}?tab=offline`)] : []),
  ]
  return offline ? <Silent views={views} /> : <Sales views={views} />
}

type Props = { views: readonly View[] }
const useMachine = () => {
  const { t } = useTranslation('dataReports')
  const may = useMay()
  return (row: { id: number; rtuNumber: string }) => [
    {
      key: 'machine',
      label: t('machine'),
      can: may('device:read') && row.rtuNumber !== '',
      to: `/device/device-list?detail=${row.id}`,
    },
  ]
}

function Sales({ views }: Props) {
  const { t } = useTranslation('dataReports')
  const col = useCols(ChannelRow, 'dataReports')
  const actions = useMachine()
  return (
    <ListPage
      key="sales"
      ns="dataReports"
      endpoint={dataReports.offlineChannel}
      live="orders"
      views={views}
      filters={['range', ...places]}
      columns={[
        col('rtuNumber'),
        col('nickname'),
        col('ownedUserName'),
        col('orderTotal'),
        col('turnover'),
        col('refundAmount'),
        col('received'),
        col('average'),
        col('lastOrderTime'),
      ]}
      sums={({ sums }) => [
        { label: t('fields.orderTotal'), value: <Count value={sums.orderTotal} /> },
        ...(['turnover', 'refundAmount', 'received'] as const).map((key) => ({
          label: t(`fields.${key}`),
          value: <Money fen={sums[key]} />,
        })),
      ]}
      actions={actions}
      empty={{ title: t('empty') }}
      card={['orderTotal', 'turnover', 'received', 'lastOrderTime']}
    />
  )
}

function Silent({ views }: Props) {
  const { t } = useTranslation('dataReports')
  const col = useCols(OfflineRow, 'dataReports')
  const may = useMay()
  const actions = useMachine()
  return (
    <ListPage
      key="offline"
      ns="dataReports"
      endpoint={dataReports.offlineMachines}
      live="devices"
      views={views}
      filters={places}
      columns={[
        col('rtuNumber'),
        col('nickname'),
        col('address'),
        col('lastSeenAt'),
        col('offlineHours'),
        col('signal'),
        col('cause'),
        may('dashboard:money') && col('loss'),
      ]}
      actions={actions}
      empty={{ title: t('noneOffline') }}
      card={[
        'address',
        'lastSeenAt',
        'offlineHours',
        'cause',
        ...(may('dashboard:money') ? (['loss'] as const) : []),
      ]}
    />
  )
}
