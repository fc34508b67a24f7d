import { Button, Flex, Tabs } from 'antd'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../../web/api.ts'
import { Detail } from '../../../../web/Detail.tsx'
import type { DetailProps } from '../../../../web/list/types.ts'
import { useLive } from '../../../../web/live.ts'
import { Skeleton } from '../../../../web/Problem.tsx'
import { useMay } from '../../../../web/session.ts'
import { Facts } from '../../../../web/ui/Card.tsx'
import { Dropdown } from '../../../../web/ui/popup.tsx'
import { Tooltip } from '../../../../web/ui/Tooltip.tsx'
import { QueryButton, useCommands } from '../../../device-commands/web/pickers.tsx'
import { SettingsTab } from '../../../device-settings/web/pickers.tsx'
import { LanePlan, TestVendDialog } from '../../../lanes/web/pickers.tsx'
import { type DeviceDetail, devices } from '../../contract.ts'
import { DeviceStatus } from '../DeviceStatus.tsx'
import { DeviceOverview } from './DeviceOverview.tsx'
import { DeviceStaff } from './DeviceStaff.tsx'

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

/**
 * A machine beside the list or the map, at the tab named by `?tab=`; each tab reads for itself, and
 * only with its own permission.
 */
export function DeviceDrawer({ id, onPrevious, onNext }: DetailProps) {
  const { t } = useTranslation('devices')
  const may = useMay()
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const params = new URLSearchParams(search)
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(devices.detail, { id: Number(id) }, { inline: true, enabled: known })
  useLive('devices', [devices.detail.path])
  const device = known ? read.data : undefined
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
            children: <Suspense fallback={<Skeleton rows={6} />}>{children}</Suspense>,
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
  return (
    <Detail
      open={known}
      onPrevious={onPrevious}
      onNext={onNext}
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
  const f = (key: string, value: ReactNode) => [t(`fields.${key}`), value || '\u2014'] as const
  // who was never heard says nothing about its door
  const door = device.lastSeenAt ? t(`enums.door.${device.doorOpen ? 'open' : 'closed'}`) : null
  return (
    <Flex wrap align="center" justify="space-between" gap={8}>
      <Facts
        items={[
          f('signal', device.signal ? t(`enums.signal.${device.signal}`) : null),
          f('temperature', device.temperature?.toFixed(1)),
          f('humidity', device.humidity?.toFixed(1)),
          f('doorOpen', door),
          f('fw', device.fw),
          f('apk', device.apk),
          ...(device.locked ? [f('locked', t('web:bool.true'))] : []),
        ]}
      />
      {may('device:update') ? (
        <QueryButton id={device.id} online={device.status === 'online'} />
      ) : null}
    </Flex>
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
  // what waits for the machine says so itself
  const label = (text: string) =>
    online ? (
      text
    ) : (
      <Tooltip title={t('offlineHint')} placement="left">
        <span>{text}</span>
      </Tooltip>
    )
  const command = (key: 'REBOOT' | 'LOCK' | 'UNLOCK' | 'DOOR', can: boolean) =>
    can ? [{ key, label: label(t(`commands.${key}`)), onClick: () => void tell(key, device) }] : []
  const items = [
    ...(may('device:test') && may('lane:read')
      ? [{ key: 'test', label: label(t('testVend')), onClick: () => setTesting(true) }]
      : []),
    ...command('REBOOT', may('device:reboot')),
    ...command('LOCK', may('device:lock') && !device.locked),
    ...command('UNLOCK', may('device:lock') && device.locked),
    ...command('DOOR', may('device:open-door')),
  ].map((item) => ({ ...item, disabled: !online }))
  return (
    <>
      {closed || items.length === 0 ? null : (
        <Dropdown menu={{ items }} trigger={['click']}>
          <Button>{t('remote')}</Button>
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
