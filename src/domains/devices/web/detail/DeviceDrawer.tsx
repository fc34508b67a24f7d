import { Button, Dropdown, Tabs } from 'antd'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { Detail } from '../../../web/Detail.tsx'
import { useNeighbours } from '../../../web/list/useNeighbours.ts'
import { useLive } from '../../../web/live.ts'
import { Bones } from '../../../web/Problem.tsx'
import { useMay } from '../../../web/session.ts'
import { QueryButton, TestVendDialog, useCommands } from '../../device-commands/web/pickers.tsx'
import { SettingsTab } from '../../device-settings/web/pickers.tsx'
import { LanePlan } from '../../lanes/web/pickers.tsx'
import { type DeviceDetail, devices } from '../contract.ts'
import { DeviceOverview } from './DeviceOverview.tsx'
import { DeviceStaff } from './DeviceStaff.tsx'
import { DeviceStatus } from './DeviceStatus.tsx'
import styles from './devices.module.css'

const DeviceTimeline = lazy(() =>
  import('./DeviceTimeline.tsx').then((m) => ({ default: m.DeviceTimeline })),
)
const DeviceTroubles = lazy(() =>
  import('./DeviceTroubles.tsx').then((m) => ({ default: m.DeviceTroubles })),
)
const DeviceCurves = lazy(() =>
  import('./DeviceCurves.tsx').then((m) => ({ default: m.DeviceCurves })),
)
const DeviceOrders = lazy(() =>
  import('./DeviceLists.tsx').then((m) => ({ default: m.DeviceOrders })),
)
const DeviceFlows = lazy(() =>
  import('./DeviceLists.tsx').then((m) => ({ default: m.DeviceFlows })),
)
const DeviceRefills = lazy(() =>
  import('./DeviceRefills.tsx').then((m) => ({ default: m.DeviceRefills })),
)
const DeviceLogs = lazy(() => import('./DeviceLists.tsx').then((m) => ({ default: m.DeviceLogs })))

/** The machine named by `?detail=`, at the tab named by `?tab=`; each tab reads for itself, and only with its own permission. */
export function DeviceDrawer() {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const params = new URLSearchParams(search)
  const id = Number(params.get('detail') ?? 0)
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(devices.detail, { id }, { inline: true, enabled: open })
  useLive('devices', [devices.detail.path])
  const device = open ? read.data : undefined
  const go = (change: Record<string, string | null>) => {
    for (const [key, value] of Object.entries(change))
      value === null ? params.delete(key) : params.set(key, value)
    navigate(params.size ? `${pathname}?${params}` : pathname, { replace: true })
  }
  const tab = (key: string, right: string, children: ReactNode) =>
    may(right)
      ? [
          {
            key,
            label: t(`tabs.${key}`),
            children: <Suspense fallback={<Bones rows={6} />}>{children}</Suspense>,
          },
        ]
      : []
  const tabs = device
    ? [
        ...tab('overview', 'device:read', <DeviceOverview device={device} />),
        ...tab('lanes', 'lane:read', <LanePlan deviceId={device.id} />),
        ...tab('orders', 'order:read', <DeviceOrders deviceId={device.id} />),
        ...tab('flows', 'stock-flow:read', <DeviceFlows deviceId={device.id} />),
        ...tab(
          'refills',
          'stock-flow:read',
          <DeviceRefills deviceId={device.id} rtuNumber={device.rtuNumber} />,
        ),
        ...tab(
          'faults',
          may('fault:read') ? 'fault:read' : 'alarm:read',
          <DeviceTroubles deviceId={device.id} />,
        ),
        ...tab('timeline', 'device:read', <DeviceTimeline deviceId={device.id} />),
        ...tab('curves', 'device:read', <DeviceCurves deviceId={device.id} />),
        ...tab('settings', 'device:read', <SettingsTab deviceId={device.id} />),
        ...tab('staff', 'device:read', <DeviceStaff device={device} />),
        ...tab('logs', 'log:read', <DeviceLogs rtuNumber={device.rtuNumber} />),
      ]
    : []
  const steps = useNeighbours(
    devices.list,
    'id',
    id,
    (next) => go({ detail: String(next) }),
    pathname === '/device/device-list',
  )
  return (
    <Detail
      open={open}
      {...steps}
      onClose={() => go({ detail: null, tab: null })}
      title={device?.nickname ?? ''}
      {...(device ? { status: <DeviceStatus device={device} chip />, id: device.rtuNumber } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={device ? <Deeds device={device} /> : null}
    >
      {device ? (
        <>
          <Head device={device} />
          <Tabs
            key={device.id}
            items={tabs}
            destroyOnHidden
            activeKey={
              tabs.some(({ key }) => key === params.get('tab'))
                ? (params.get('tab') as string)
                : 'overview'
            }
            onChange={(key) => go({ tab: key === 'overview' ? null : key })}
          />
        </>
      ) : null}
    </Detail>
  )
}

/** What the machine said last, and a button that asks it again. */
function Head({ device }: { device: DeviceDetail }) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const facts = [
    [t('fields.signal'), device.signal ? t(`enums.signal.${device.signal}`) : '—'],
    [t('fields.temperature'), device.temperature?.toFixed(1) ?? '—'],
    [t('fields.humidity'), device.humidity?.toFixed(1) ?? '—'],
    [t('fields.doorOpen'), t(`enums.door.${device.doorOpen ? 'open' : 'closed'}`)],
    [t('fields.fw'), device.fw || '—'],
    [t('fields.apk'), device.apk || '—'],
    ...(device.locked ? [[t('fields.locked'), t('web:bool.true')]] : []),
  ]
  return (
    <div className={styles.head}>
      {facts.map(([label, value]) => (
        <span key={label}>
          <small>{label}</small> {value}
        </span>
      ))}
      {may('device:update') ? (
        <QueryButton id={device.id} online={device.status === 'online'} />
      ) : null}
    </div>
  )
}

function Deeds({ device }: { device: DeviceDetail }) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const { tell, dialog } = useCommands()
  const [testing, setTesting] = useState(false)
  const online = device.status === 'online'
  const closed = device.lifecycle === 'SOLD' || device.lifecycle === 'SCRAPPED'
  const items = [
    ...(may('device:test') && may('lane:read')
      ? [{ key: 'test', label: t('testVend'), onClick: () => setTesting(true) }]
      : []),
    ...(may('device:reboot')
      ? [{ key: 'REBOOT', label: t('commands.REBOOT'), onClick: () => void tell('REBOOT', device) }]
      : []),
    ...(may('device:lock')
      ? device.locked
        ? [
            {
              key: 'UNLOCK',
              label: t('commands.UNLOCK'),
              onClick: () => void tell('UNLOCK', device),
            },
          ]
        : [{ key: 'LOCK', label: t('commands.LOCK'), onClick: () => void tell('LOCK', device) }]
      : []),
    ...(may('device:open-door')
      ? [{ key: 'DOOR', label: t('commands.DOOR'), onClick: () => void tell('DOOR', device) }]
      : []),
  ].map((item) => ({ ...item, disabled: !online }))
  return (
    <>
      {closed || items.length === 0 ? null : (
        <Dropdown menu={{ items }} trigger={['click']}>
          <Button title={online ? '' : t('offlineHint')}>{t('remote')}</Button>
        </Dropdown>
      )}
      {may('lane:read') ? (
        <Button onClick={() => navigate(`/device/device-list/cargo-road/${device.id}`)}>
          {t('lanes')}
        </Button>
      ) : null}
      {device.can.update ? (
        <Button type="primary" onClick={() => navigate(`/device/device-list/edit/${device.id}`)}>
          {t('edit')}
        </Button>
      ) : null}
      {testing ? (
        <TestVendDialog
          id={device.id}
          rtuNumber={device.rtuNumber}
          online={online}
          onClose={() => setTesting(false)}
        />
      ) : null}
      {dialog}
    </>
  )
}
